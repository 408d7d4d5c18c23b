import { Link, type LinkProps } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { MOUNT } from "../api/client";
import type { Overview } from "../api/types";
import { count } from "../format/numbers";
import { Icon, Logo, type IconName } from "../parts/Icon";
import css from "./shell.module.css";

interface Props {
  admin: boolean;
  username: string;
  needs: Overview["needs"] | undefined;
  open: boolean;
  onClose: () => void;
}

export function Menu(props: Props) {
  const drawer = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (props.open) drawer.current?.showModal();
    else drawer.current?.close();
  }, [props.open]);
  return (
    <>
      <nav className={css.side} aria-label="Main">
        <Items {...props} />
      </nav>
      <dialog ref={drawer} className={css.drawer} aria-label="Menu" onClose={props.onClose} onClick={(event) => event.target === drawer.current && props.onClose()}>
        {props.open && (
          <nav className={css.inDrawer} aria-label="Main">
            <Items {...props} />
          </nav>
        )}
      </dialog>
    </>
  );
}

function Items({ admin, username, needs, onClose }: Props) {
  const item = (icon: IconName, name: string, to: LinkProps["to"], need = 0) => (
    <Link to={to} onClick={onClose} activeOptions={{ exact: to === "/", includeSearch: false }} activeProps={{ "aria-current": "page" }}>
      <Icon name={icon} />
      {name}
      {need > 0 && <span className={css.need} aria-label={`${count(need)} need you`}>{count(need)}</span>}
    </Link>
  );
  return (
    <>
      <Link className={css.brand} to="/" aria-label="Duetime, overview">
        <Logo />
        Duetime
      </Link>
      {item("overview", "Overview", "/")}
      <h2>Work</h2>
      {item("jobs", "Jobs", "/jobs")}
      {item("schedules", "Schedules", "/schedules")}
      {item("calendar", "Calendar", "/calendar")}
      {item("workers", "Workers", "/workers")}
      {item("artifacts", "Artifacts", "/artifacts")}
      {item("logs", "Logs", "/logs")}
      <h2>Repair</h2>
      {item("dead", "Dead letters", "/dead-letters", needs?.dead_letters)}
      {item("lanes", "Lanes", "/lanes", needs?.blocked_lanes)}
      <h2>Watch</h2>
      {item("notifications", "Notifications", "/notifications")}
      {item("audit", "Audit", "/audit")}
      {admin && (
        <>
          <h2>System</h2>
          {item("shares", "Shares", "/shares")}
          {item("cluster", "Cluster", "/cluster")}
          {item("users", "Users", "/users")}
        </>
      )}
      <div className={css.foot}>
        <a href={new URL("docs", MOUNT).href}>
          <Icon name="docs" />
          API
        </a>
        <Link to="/account" onClick={onClose} activeProps={{ "aria-current": "page" }}>
          <Icon name="users" />
          <span className="cut">{username}</span>
          {admin && <span className="qq tiny push">admin</span>}
        </Link>
      </div>
    </>
  );
}
