import type { StartedMessage } from '../../cli/launcher/launch.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from './child.ts';
import { stackDefaults } from './stack-settings.ts';

type Message = StartedMessage | ReadyMessage;

/** The service as `npm start` runs it: a launcher with its three processes. */
export class Launched {
  readonly launcher: Child;
  /** Bound addresses by setting name. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly #runs: Map<string, number[]>;

  private constructor(launcher: Child, addresses: Record<string, string>, runs: Map<string, number[]>) {
    this.launcher = launcher;
    this.addresses = addresses;
    this.#runs = runs;
  }

  /** Resolves when all three are ready. Rejects with the launcher's output if it ends first. */
  static async start(env: Record<string, string> = {}): Promise<Launched> {
    const runs = new Map<string, number[]>();
    const launcher = await Child.start(
      process.execPath,
      home => [...scriptArguments('cli/gsq.ts'), 'start', '--data-dir', `${home}/data`],
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
    // Once the launcher is ready, its end is no longer a failed start.
    ended.catch(() => {});
    const { addresses } = await Promise.race([ready, ended]);
    return new Launched(launcher, addresses, runs);
  }

  /** Process ids of every run of a process so far, the newest last. */
  runs(name: string): readonly number[] {
    return this.#runs.get(name) ?? [];
  }

  /** Sends SIGKILL to the newest run of a process. */
  kill(name: string): void {
    this.signal(name, 'SIGKILL');
  }

  /** Sends a signal to the newest run of a process. */
  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.runs(name).at(-1);
    if (pid === undefined) throw new Error(`the launcher has not started ${name}`);
    process.kill(pid, signal);
  }
}
