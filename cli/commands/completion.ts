import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, type CommandList, UsageError } from '../console/command.ts';
import { completionWords } from '../console/completion-words.ts';
import { knownGames } from '../console/game-search.ts';
import { EXECUTABLE } from '../console/invocation.ts';
import { bashScript, fishScript, zshScript } from '../console/shell-scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

function isShell(name: string | undefined): name is keyof typeof SCRIPTS {
  return name !== undefined && Object.hasOwn(SCRIPTS, name);
}

/** Creates the command that prints scripts with which a shell completes the given commands. */
export function completionOf(commands: CommandList): Command {
  return {
    usage: ['bash|zsh|fish'],
    about: `Prints a script that completes the commands, options and games of gsq in a shell. The script contains
      them as they are now, so let the shell run this command each time it starts:

      bash: add to ~/.bashrc: source <(${EXECUTABLE} completion bash)

      zsh: add to ~/.zshrc, after compinit: source <(${EXECUTABLE} completion zsh)

      fish: add to ~/.config/fish/config.fish: ${EXECUTABLE} completion fish | source

      The script completes the command "gsq". If there is no such command on your PATH, also add this line: alias
      gsq=${EXECUTABLE}`,
    options: {},
    operand: Object.keys(SCRIPTS),
    async run({ positionals: [shell, ...more], config }, terminal) {
      if (!isShell(shell) || more.length > 0) throw new UsageError('name one shell: bash, zsh or fish');
      const games = knownGames(config.GSQ_CATALOG).map(({ id }) => id);
      terminal.out(SCRIPTS[shell](await completionWords(commands, games)));
      return exitStatus.ok;
    },
  };
}
