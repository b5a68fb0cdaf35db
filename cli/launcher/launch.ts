import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { importPast } from '../demo/import-past.ts';
import { startChild } from './child-process.ts';
import { serviceArguments } from './service-arguments.ts';
import { Supervisor } from './supervisor.ts';

/**
 * Message that reports the start of a process of the service. The launcher sends it to its own parent process, for
 * example a test, if there is an IPC channel between the two.
 */
export interface StartedMessage {
  type: 'started';
  name: string;
  pid: number | undefined;
}

/** Options of a `Launch`, which starts all processes of the service. */
export interface LaunchOptions {
  env: Readonly<Record<string, string | undefined>>;
  demo: boolean;
  talk: (line: string) => void;
  /** Called each time the launcher has started or restarted a process of the service. */
  onStarted: (message: StartedMessage) => void;
}

/** Result of a successful launch: data that the processes sent when they were ready. */
export interface Launched {
  /** Listening addresses of all processes, keyed by the name of the address setting, such as GSQ_HTTP_ADDR. */
  addresses: Readonly<Record<string, string>>;
  /** Data from the ready message of the demo fleet, for example its list of servers. Empty if no demo runs. */
  demoNotes: ReadyMessage['notes'];
}

// Groups of processes, in the order in which they start. The core is first, because the other processes need its
// address. The gateway is last, because it needs the addresses of all others.
const SERVICES = [['core'], ['prober', 'notifier'], ['gateway']] as const;
const FLEET = fileURLToPath(new URL('../demo/main.ts', import.meta.url));
/**
 * The order in which the processes stop. A process stops before the processes that it calls, so that no process calls a
 * closed port.
 */
const STOP_ORDER = ['gateway', 'notifier', 'prober', 'core', 'demo'];

function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Starts, supervises and stops the processes of one `npm start`. */
export class Launch {
  readonly #options: LaunchOptions;
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #addresses: Record<string, string> = {};
  #ending = false;

  constructor(options: LaunchOptions) {
    this.#options = options;
  }

  /**
   * Starts the processes. Resolves to undefined if `drain` or `kill` is called before all of them are ready. Rejects
   * with StartError if a process cannot start; the caller must then call `drain`.
   */
  async start(): Promise<Launched | undefined> {
    const demo = this.#options.demo ? await this.#supervise('demo', scriptArguments(FLEET)) : undefined;
    if (demo) await importPast(demo.notes, this.#options.env);
    for (const group of SERVICES) {
      if (this.#ending) return undefined;
      const messages = await Promise.all(group.map(name => this.#supervise(name, serviceArguments(name))));
      // Stores the addresses of the started processes, because the processes of the later groups in SERVICES need them.
      for (const { addresses } of messages) Object.assign(this.#addresses, addresses);
    }
    return {
      addresses: this.#addresses,
      demoNotes: demo?.notes ?? {},
    };
  }

  /**
   * Ends all processes one after the other. Each process finishes its work in progress before it ends. Returns the
   * names of the processes that did not finish their work.
   */
  async drain(): Promise<string[]> {
    this.#ending = true;
    const unfinished: string[] = [];
    for (const name of STOP_ORDER) {
      const finished = (await this.#supervisors.get(name)?.stop()) ?? true;
      if (!finished) unfinished.push(name);
    }
    return unfinished;
  }

  /** Kills all started processes immediately. Unlike `drain`, gives them no time to finish their work. */
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
