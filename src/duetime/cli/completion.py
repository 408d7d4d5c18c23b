"""`duetime completion`: prints a script that completes commands and options in a shell.

The script holds the whole table of commands, so that a key press starts no program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from duetime.cli.shared.output import print_line

EXAMPLES = """Add the line to the file that your shell reads when it starts, and open a new terminal.

\b
Examples:
  duetime completion bash
  duetime completion fish > ~/.config/fish/completions/duetime.fish

\b
In ~/.bashrc:
  source <(duetime completion bash)
In ~/.zshrc:
  autoload -Uz compinit && compinit
  source <(duetime completion zsh)"""

# The words before the cursor lead to a command: a word that names no subcommand is an argument or a value.
_BASH = """_duetime() {
  local path="" word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$path/$word" in
%(paths)s) path="$path/$word" ;;
    esac
  done
  local words="" files=no current="${COMP_WORDS[COMP_CWORD]}"
  case "$path" in
%(words)s
  esac
  case "$files$current" in
    no*|yes-*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _duetime duetime
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"
_FISH = """function __duetime_path
  set -l path ""
  for word in (commandline -opc)[2..-1]
    if contains -- "$path/$word" %(paths)s
      set path "$path/$word"
    end
  end
  echo $path
end
complete -c duetime -n 'not contains -- (__duetime_path) %(leaves)s' -f
"""


def completion(
    context: typer.Context,
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="Your shell.", show_default=False)],
) -> None:
    """Print the script for completion in your shell."""
    table = dict(_commands(context.find_root().command))
    script = _fish(table) if shell == "fish" else (_ZSH if shell == "zsh" else "") + _bash(table)
    for line in script.splitlines():
        print_line(line)


def _commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from _commands(below, f"{path}/{name}")


def _options(command: Any) -> list[tuple[str, str]]:
    """Returns the options of a command, each with what it is for."""
    found = [(option, one.help) for one in command.params for option in (*one.opts, *one.secondary_opts)]
    return [(option, text or "") for option, text in found if option.startswith("--")] + [("--help", "Show help.")]


def _below(table: dict[str, Any], path: str) -> list[tuple[str, str]]:
    """Returns the subcommands of a command, each with what it is for."""
    found = getattr(table[path], "commands", {})
    return [(name, one.get_short_help_str(100)) for name, one in found.items() if f"{path}/{name}" in table]


def _leaves(table: dict[str, Any]) -> list[str]:
    return [path for path in table if not _below(table, path)]


def _bash(table: dict[str, Any]) -> str:
    paths = "|".join(path for path in table if path)
    cases: list[str] = []
    for path, command in table.items():
        words = " ".join(name for name, _ in _below(table, path) + _options(command))
        # The arguments of a command can be files, and the shell completes those.
        files = "" if _below(table, path) else " files=yes"
        cases.append(f"    '{path}') words='{words}'{files} ;;")
    return _BASH % {"paths": f"      {paths}", "words": "\n".join(cases)}


def _fish(table: dict[str, Any]) -> str:
    lines = [
        _FISH % {"paths": " ".join(path for path in table if path), "leaves": " ".join(_leaves(table))},
    ]
    for path, command in table.items():
        here = f"complete -c duetime -n 'test (__duetime_path) = \"{path}\"'"
        lines += [f"{here} -a {name} -d '{_quoted(text)}'" for name, text in _below(table, path)]
        lines += [f"{here} -l {option.removeprefix('--')} -d '{_quoted(text)}'" for option, text in _options(command)]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    first = " ".join(text.split()).partition(". ")[0].rstrip(".")
    return first.replace("\\", "\\\\").replace("'", "\\'")
