import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { clock, offset } from "../format/instants";
import { Button } from "../parts/Button";
import { Icon } from "../parts/Icon";
import { useNow } from "../now";
import { client } from "../polling";
import { change, isDark, useSettings, useZone, type Settings } from "../settings";
import { useShownCrumbs } from "./crumbs";
import css from "./shell.module.css";

const CHOICES: [Settings["poll"], string][] = [[2, "Every 2 s"], [5, "Every 5 s"], [30, "Every 30 s"], [0, "Paused"]];

export function Top({ onFind, onMenu }: { onFind: () => void; onMenu: () => void }) {
  const { utc } = useSettings();
  return (
    <header className={css.top}>
      <Button className={css.menuButton} look="plain" icon aria-label="Menu" onClick={onMenu}>
        <Icon name="menu" />
      </Button>
      <Crumbs />
      <div className={css.tools}>
        <button type="button" className={css.find} aria-label="Find or go to" onClick={onFind} aria-keyshortcuts="/">
          <Icon name="find" size={14} />
          <span>Find or go to</span>
          <kbd>/</kbd>
        </button>
        <Poll />
        <Button look="plain" onClick={() => change({ utc: !utc })} title={utc ? "Times are in UTC; u shows them in your zone" : "Times are in your zone; u shows them in UTC"}>
          <Clock />
        </Button>
        <Button className={css.wideOnly} look="plain" icon aria-label="Light or dark" title="Light or dark (t)" onClick={() => change({ theme: isDark() ? "light" : "dark" })}>
          <Icon name="theme" />
        </Button>
      </div>
    </header>
  );
}

function Crumbs() {
  const crumbs = useShownCrumbs();
  return (
    <h1 className={css.crumbs}>
      {crumbs.map((one, i) => (
        <Fragment key={i}>
          {i > 0 && <i>/</i>}
          {typeof one === "string" ? <span className="cut">{one}</span> : <Link to={one.to}>{one.name}</Link>}
        </Fragment>
      ))}
    </h1>
  );
}

function Clock() {
  const zone = useZone();
  const now = useNow();
  return (
    <span>
      {clock(now, zone)} <span className={css.wideOnly}>{zone}</span> <span className="qq">{zone === "UTC" ? <span className={css.narrowOnly}>UTC</span> : offset(now, zone)}</span>
    </span>
  );
}

function Poll() {
  const { poll } = useSettings();
  const choose = (value: Settings["poll"]) => {
    change({ poll: value });
    void client.invalidateQueries();
    document.getElementById("poll-menu")?.hidePopover();
  };
  return (
    <>
      <button type="button" className={`${css.live} ${poll ? "" : css.paused}`} popoverTarget="poll-menu" title="How often the page looks; it stops while the tab is hidden">
        {poll ? `${poll} s` : "paused"}
      </button>
      <div id="poll-menu" popover="auto" className={css.popover} role="group" aria-label="How often the page looks">
        {CHOICES.map(([value, name]) => (
          <button key={value} type="button" aria-pressed={value === poll} onClick={() => choose(value)}>{name}</button>
        ))}
        <p>Every 10 s when you are away; not at all while the tab is hidden.</p>
      </div>
    </>
  );
}
