import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { startChild } from './child-process.ts';
import { serviceArguments } from './service-arguments.ts';
import { Supervisor } from './supervisor.ts';

/** The message about each started process, sent to a parent with an IPC channel. */
export interface StartedMessage {
  type: 'started';
  name: string;
  pid: number | undefined;
}

export interface LaunchOptions {
  env: Readonly<Record<string, string | undefined>>;
  demo: boolean;
  talk: (line: string) => void;
  /** Receives every start of every process. */
  onStarted: (message: StartedMessage) => void;
}

/** The running processes, once all are ready. */
export interface Launched {
  /** Bound addresses of all processes, by setting name. */
  addresses: Readonly<Record<string, string>>;
  /** Notes of the demo fleet, if it runs. */
  demoNotes: ReadyMessage['notes'];
}

// Start order. The core comes first because the others need its address. The gateway comes last: it needs the
// address of the prober's ops endpoint, and callers should find a working service.
const SERVICES = ['core', 'prober', 'gateway'] as const;
const FLEET = fileURLToPath(new URL('../demo/main.ts', import.meta.url));
/** Stop order: callers first and the core last, so that no process works against a closed port. */
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
   * Starts the processes in order and tells each the addresses of the earlier ones. Resolves to undefined if
   * `drain` or `kill` is called meanwhile. Rejects with StartError; the started processes must still be
   * drained.
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

  /** Ends all processes, each after it has drained its work. */
  async drain(): Promise<void> {
    this.#ending = true;
    for (const name of STOP_ORDER) await this.#supervisors.get(name)?.stop();
  }

  /** Kills all processes. */
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
