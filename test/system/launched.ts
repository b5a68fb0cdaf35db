import type { StartedMessage } from '../../cli/launcher/launch.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from './child.ts';
import { stackDefaults } from './stack-settings.ts';

type Message = StartedMessage | ReadyMessage;

/** The gsq service as `npm start` runs it: a launcher and the processes that it has started. */
export class Launched {
  readonly launcher: Child;
  /** Addresses on which the processes listen, keyed by the name of the setting, such as GSQ_HTTP_ADDR. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly #runs: Map<string, number[]>;

  private constructor(launcher: Child, addresses: Record<string, string>, runs: Map<string, number[]>) {
    this.launcher = launcher;
    this.addresses = addresses;
    this.#runs = runs;
  }

  /**
   * Starts the launcher with the arguments in `flags`. Resolves when the processes of the launcher are ready. Rejects
   * with the output of the launcher if the launcher ends before that.
   */
  static async start(env: Record<string, string> = {}, flags: readonly string[] = []): Promise<Launched> {
    const runs = new Map<string, number[]>();
    const launcher = await Child.start(
      process.execPath,
      home => [...scriptArguments('cli/gsq.ts'), 'start', '--data-dir', `${home}/data`, ...flags],
      { env: { ...stackDefaults, ...env }, ipc: true, stdoutIsData: true },
    );
    const ready = new Promise<ReadyMessage>(resolve => {
      launcher.process.on('message', (message: Message) => {
        if (message.type === 'ready') resolve(message);
        else if (message.pid !== undefined) {
          runs.set(message.name, [...(runs.get(message.name) ?? []), message.pid]);
        }
      });
    });
    const ended = launcher.ended.then(() => Promise.reject(new Error(launcher.report)));
    // If the launcher ends after it was ready, no code awaits `ended`. This handler prevents an unhandled rejection.
    ended.catch(() => {});
    const { addresses } = await Promise.race([ready, ended]);
    return new Launched(launcher, addresses, runs);
  }

  /**
   * Returns all process ids that the process `name` of the service has had so far, the newest last. After each restart,
   * a process has a new id.
   */
  runs(name: string): readonly number[] {
    return this.#runs.get(name) ?? [];
  }

  /** Sends SIGKILL to a process of the service. */
  kill(name: string): void {
    this.signal(name, 'SIGKILL');
  }

  /** Sends a signal to a process of the service. */
  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.runs(name).at(-1);
    if (pid === undefined) throw new Error(`the launcher has not started ${name}`);
    process.kill(pid, signal);
  }
}
