import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { startChild } from './child-process.ts';
import { serviceArguments } from './service-arguments.ts';
import { Supervisor } from './supervisor.ts';

/** What whoever started the launcher with an IPC channel is told of each run of a process. */
export interface StartedMessage {
  type: 'started';
  name: string;
  pid: number | undefined;
}

export interface LaunchOptions {
  env: Readonly<Record<string, string | undefined>>;
  demo: boolean;
  talk: (line: string) => void;
  /** Told of every run of every process. */
  onStarted: (message: StartedMessage) => void;
}

/** What runs, once all of it is ready. */
export interface Launched {
  /** Setting name -> address as bound, of all processes. */
  addresses: Readonly<Record<string, string>>;
  /** Notes of the demo fleet, where there is one. */
  demoNotes: ReadyMessage['notes'];
}

// The core first: the others need its address. The gateway last: it needs that of the prober's ops endpoint, and is
// the door that should open only when the house is in order.
const SERVICES = ['core', 'prober', 'gateway'] as const;
const FLEET = fileURLToPath(new URL('../demo/main.ts', import.meta.url));
/** Callers first, then the asker, the core last: nobody works against a door that is shut. */
const STOP_ORDER = ['gateway', 'prober', 'core', 'demo'];

function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** The processes of one `npm start`. */
export class Launch {
  readonly #options: LaunchOptions;
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #addresses: Record<string, string> = {};
  #ending = false;

  constructor(options: LaunchOptions) {
    this.#options = options;
  }

  /**
   * Starts one after the other, each told the addresses of those before it; undefined where `drain` or `kill` came
   * in between. Rejects with StartError; what runs then must still be drained.
   */
  async start(): Promise<Launched | undefined> {
    const demo = this.#options.demo ? await this.#supervise('demo', scriptArguments(FLEET)) : undefined;
    for (const name of SERVICES) {
      if (this.#ending) return undefined;
      const message = await this.#supervise(name, serviceArguments(name));
      Object.assign(this.#addresses, message.addresses);
    }
    return {
      addresses: this.#addresses,
      demoNotes: demo?.notes ?? {},
    };
  }

  /** Ends all, each letting go of its work first. */
  async drain(): Promise<void> {
    this.#ending = true;
    for (const name of STOP_ORDER) await this.#supervisors.get(name)?.stop();
  }

  /** Ends all at once. */
  kill(): void {
    this.#ending = true;
    for (const supervisor of this.#supervisors.values()) supervisor.kill();
  }

  #supervise(name: string, argv: readonly string[]): Promise<ReadyMessage> {
    const { env, talk, onStarted } = this.#options;
    const supervisor = new Supervisor({
      name,
      start: pinned => {
        const child = startChild(argv, { ...env, ...this.#addresses, ...pinned });
        onStarted({ type: 'started', name, pid: child.pid });
        return child;
      },
      now: Date.now,
      after,
      onRestart: (who, { status, signal }, pauseMs) =>
        talk(`gsq: ${who} ended (${signal ?? `exit ${status}`}); starting it again in ${pauseMs} ms`),
    });
    this.#supervisors.set(name, supervisor);
    return supervisor.start();
  }
}
