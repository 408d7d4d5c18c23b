// The frame around every view: menu, top bar, messages; the login where nobody is signed in.
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/client";
import { me, overview } from "../api/queries";
import { Bones, Trouble } from "../parts/Feedback";
import { Toasts, undo } from "../parts/Toasts";
import { seldom } from "../polling";
import { change, isDark, settings } from "../settings";
import { Login } from "../views/login/Login";
import { Find } from "./Find";
import { KeyMap } from "./KeyMap";
import { Menu } from "./Menu";
import { Stale } from "./Stale";
import { Top } from "./Top";
import { useKeys } from "./keys";
import css from "./shell.module.css";

export function Shell() {
  const who = useQuery(me());
  if (who.error instanceof ApiError && who.error.status === 401) return <Login />;
  if (!who.data && who.error) return <Trouble error={who.error} retry={who.refetch} />;
  if (!who.data) return null;
  return <SignedIn admin={who.data.role === "admin"} username={who.data.username} />;
}

const PLACES = { o: "/", j: "/jobs", s: "/schedules", c: "/calendar", w: "/workers", d: "/dead-letters", l: "/lanes", n: "/cluster" } as const;

function SignedIn({ admin, username }: { admin: boolean; username: string }) {
  const [shown, show] = useState<"find" | "keys" | "menu" | null>(null);
  const going = useRef(0);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const look = useQuery({ ...overview("mine", "1h"), refetchInterval: seldom });

  useEffect(() => show(null), [pathname]);
  const go = (key: keyof typeof PLACES) => () => {
    if (Date.now() - going.current > 1500) return;
    going.current = 0;
    void navigate({ to: PLACES[key] });
  };
  useKeys({
    "?": () => show("keys"),
    "/": () => show("find"),
    g: () => void (going.current = Date.now()),
    u: () => change({ utc: !settings().utc }),
    t: () => change({ theme: isDark() ? "light" : "dark" }),
    z: undo,
    o: go("o"), s: go("s"), c: go("c"), w: go("w"), d: go("d"), l: go("l"),
  });
  // These two letters mean something in lists as well: only after g do they lead away.
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.key !== "j" && event.key !== "n") || Date.now() - going.current > 1500 || !settings().keys) return;
      if ((event.target as HTMLElement).closest("input, textarea, select, dialog")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      go(event.key)();
    };
    addEventListener("keydown", press, { capture: true });
    return () => removeEventListener("keydown", press, { capture: true });
  });

  return (
    <div className={css.shell}>
      <a className={css.skip} href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to content
      </a>
      <Menu admin={admin} username={username} needs={look.data?.needs} open={shown === "menu"} onClose={() => show(null)} />
      <div className={css.sheet}>
        <Top onFind={() => show("find")} onMenu={() => show("menu")} />
        <Stale error={look.error} since={look.dataUpdatedAt} retry={look.refetch} />
        <main id="main" className={css.main} tabIndex={-1}>
          <Suspense fallback={<Bones />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Toasts />
      {shown === "find" && <Find admin={admin} onClose={() => show(null)} />}
      {shown === "keys" && <KeyMap onClose={() => show(null)} />}
    </div>
  );
}
