import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** The server that `npm run dev` asks, such as http://127.0.0.1:8080. */
const server = process.env["DUETIME_SERVER"] ?? "http://127.0.0.1:8080";

/** The built page gets its base from the server; in development it is mounted at the root. */
const base = {
  name: "base",
  apply: "serve" as const,
  transformIndexHtml: (html: string) => html.replace('<base href="./">', '<base href="/">'),
};

export default defineConfig({
  base: "./",
  plugins: [react(), base],
  build: {
    outDir: "../src/duetime/dashboard/dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": server, "/healthz": server, "/readyz": server, "/openapi.json": server, "/docs": server } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
