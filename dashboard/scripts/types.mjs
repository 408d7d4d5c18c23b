// Writes src/api/schema.d.ts from an OpenAPI document: npm run types -- openapi.json [output]
import { readFileSync, writeFileSync } from "node:fs";
import openapi, { astToString } from "openapi-typescript";

const [source, target = "src/api/schema.d.ts"] = process.argv.slice(2);
if (!source) {
  console.error("Name the OpenAPI document: npm run types -- openapi.json");
  process.exit(2);
}
const ast = await openapi(JSON.parse(readFileSync(source, "utf8")), { alphabetize: true, defaultNonNullable: false });
writeFileSync(target, `// Generated from /openapi.json by \`npm run types\`: change the API, not this file.\n${astToString(ast)}`);
