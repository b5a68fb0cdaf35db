import type { CompletedCommand, CompletionWords } from './completion-words.ts';

/**
 * Joins words with blanks, for use in a shell script without quotes. Leaves out words with characters other than
 * letters, digits, underscores, dots and dashes.
 */
function safe(words: Iterable<string>): string {
  return [...words].filter(word => /^[\w.-]+$/.test(word)).join(' ');
}

function flagsOf({ options }: CompletedCommand): string[] {
  return options.map(({ flag }) => flag);
}

/**
 * Returns the possible first words of a command line: the commands of one word, and the names of the command groups.
 */
function firstWords({ groups, commands }: CompletionWords): string[] {
  const single = commands.map(({ name }) => name).filter(name => !name.includes(' '));
  return [...single, ...groups.keys()];
}

/**
 * Returns the completion script for bash. Its function `_gsq` finds the words that can complete a command line. If
 * there are none, bash completes file names.
 */
export function bashScript(words: CompletionWords): string {
  const { groups, commands, settings } = words;
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(option => `    '${name} ${option.flag}') words='${safe(option.values)}' ;;\n`),
  );
  const operands = commands
    .filter(command => command.operands.length > 0)
    .map(({ name, operands: all }) => `    '${name}') words='${safe(all)}' ;;\n`);
  const flags = commands.map(command => `    '${command.name}') words='${safe(flagsOf(command))}' ;;\n`);
  const subcommands = [...groups].map(([group, all]) => `    ${group}) words='${safe(all)} --help' ;;\n`);
  // Bash passes `--type=FREE` to `_gsq` as three words: `--type`, `=` and `FREE`. Therefore the script skips the word
  // `=` when it looks for the name of the option.
  return `_gsq() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} name=\${COMP_WORDS[1]} first=2 words=
  local settings='${safe(settings)}'
  COMPREPLY=()
  if [ "$cur" = '=' ]; then cur=; elif [ "$previous" = '=' ]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case $name in
    ${[...groups.keys()].join('|')}) name="$name \${COMP_WORDS[2]}" first=3 ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${safe(firstWords(words))} --help --version'
  elif [ "$COMP_CWORD" -lt "$first" ]; then
    case \${COMP_WORDS[1]} in
${subcommands.join('')}    esac
  else
    case " $settings " in
    *" $previous "*) return ;;
    esac
    case "$name $previous" in
${values.join('')}    *)
      case $cur in
      -*)
        case "$name" in
${flags.join('')}        esac
        words="$words --help $settings"
        ;;
      *)
        if [ "$COMP_CWORD" -eq "$first" ]; then
          case "$name" in
${operands.join('')}          esac
        fi
        ;;
      esac
      ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _gsq gsq
`;
}

/** Returns the completion script for zsh. It contains the script for bash, because zsh can run functions of bash. */
export function zshScript(words: CompletionWords): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
}

/** Returns the completion script for fish. */
export function fishScript(words: CompletionWords): string {
  const { groups, commands, settings } = words;
  const lines = [
    'function __gsq_is',
    '  set -l typed (commandline -opc)',
    '  string match -q -- "$argv *" "$typed[2..] "',
    'end',
    'function __gsq_words',
    '  test (count (commandline -opc)) -eq $argv[1]',
    'end',
    'complete -c gsq -e',
    `complete -c gsq -n '__gsq_words 1' -f -a '${safe(firstWords(words))}'`,
    `complete -c gsq -n '__gsq_words 1' -l version`,
    'complete -c gsq -l help -s h',
  ];
  for (const [group, all] of groups)
    lines.push(`complete -c gsq -n '__gsq_words 2; and __gsq_is ${group}' -f -a '${safe(all)}'`);
  for (const { name, operands, options } of commands) {
    const first = name.split(' ').length + 1;
    if (operands.length > 0)
      lines.push(`complete -c gsq -n '__gsq_words ${first}; and __gsq_is ${name}' -f -a '${safe(operands)}'`);
    for (const { flag, takesValue, values } of options) {
      const value = values.length > 0 ? ` -x -a '${safe(values)}'` : takesValue ? ' -r' : '';
      lines.push(`complete -c gsq -n '__gsq_is ${name}' -l ${flag.slice(2)}${value}`);
    }
  }
  for (const flag of settings) lines.push(`complete -c gsq -n 'not __gsq_words 1' -l ${flag.slice(2)} -r`);
  return `${lines.join('\n')}\n`;
}
