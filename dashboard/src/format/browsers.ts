// A browser's own description, in few words. Pure.

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:A|iOS)?\/(\d+)/, "Edge"], [/OPR\/(\d+)/, "Opera"], [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"], [/(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/Version\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari/, "Safari"], [/curl\/([\d.]+)/, "curl"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X|Macintosh/, "macOS"], [/CrOS/, "ChromeOS"], [/Linux/, "Linux"],
];

/** Chrome 142 on Linux; what is not known is shown as it is. */
export function browserOf(description: string): string {
  for (const [pattern, name] of NAMES) {
    const version = pattern.exec(description)?.[1];
    if (version === undefined) continue;
    const system = SYSTEMS.find(([one]) => one.test(description))?.[1];
    return `${name} ${version}${system ? ` on ${system}` : ""}`;
  }
  return description;
}
