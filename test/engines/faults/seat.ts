import type { Child } from '../../system/child.ts';
import { ServiceProcess } from '../../system/service-process.ts';
import type { ProcessName } from '../../system/stack-settings.ts';
import { until } from '../../system/until.ts';

/** Last message of a core process that ends because the core has lost its lease or its buckets (groups of servers). */
const LOST_BUCKETS = 'this core has lost its buckets, this process ends';
const AGAIN_MS = 60_000;
/** Maximum length of the output of a process in an error message, in characters. */
const KEPT_REPORT = 4_000;

/**
 * Keeps one process of gsq running during a fault test, like a service manager: whenever the process has ended, starts
 * it again with the same settings.
 */
export class Seat {
  /** Name of the process in error messages, for example `core 1`. */
  readonly label: string;
  /**
   * One message for each unexpected end of the process: the test did not end it, or it ended in a different way than
   * expected.
   */
  readonly faults: string[] = [];
  /**
   * One message for each time that the core ended because it had lost its lease or its buckets of data. Contains no
   * message about a loss that the test caused on purpose.
   */
  readonly lostLeases: string[] = [];
  /** Called with each newly started process that replaces an ended process. */
  onStart: (process: ServiceProcess) => void = () => {};
  readonly #name: ProcessName;
  readonly #env: Record<string, string>;
  /** Processes that the test itself ends, to simulate a fault. Their end must not count as an error. */
  readonly #expected = new Set<Child>();
  #present: ServiceProcess;
  /**
   * Promise that delays the restart of an ended process: the process is started again only after the promise has
   * resolved. The method `hold` sets a new promise.
   */
  #held: Promise<void> = Promise.resolve();
  /** Output of the process that has ended most recently, cut to its last `KEPT_REPORT` characters. */
  #previous = '';
  #isPaused = false;
  #isStopping = false;

  private constructor(name: ProcessName, label: string, env: Record<string, string>, first: ServiceProcess) {
    this.#name = name;
    this.label = label;
    this.#env = env;
    this.#present = first;
    void this.#keep();
  }

  /** Starts a process of gsq, such as `core`, with these settings. Resolves when the process is ready. */
  static async start(name: ProcessName, label: string, env: Record<string, string>): Promise<Seat> {
    return new Seat(name, label, env, await ServiceProcess.start(name, env));
  }

  /** The process that was started last. It may have ended already. */
  get process(): ServiceProcess {
    return this.#present;
  }

  /** True if the process runs and is not stopped with SIGSTOP. */
  get isUp(): boolean {
    return this.#present.child.running && !this.#isPaused;
  }

  /** Recent output of the current process and of the process before it, for error messages. */
  get report(): string {
    return [this.label, this.#previous, this.#present.child.report.slice(-KEPT_REPORT)].join('\n');
  }

  /** Prevents an ended process from being started again, until the returned function is called. */
  hold(): () => void {
    let release = (): void => {};
    this.#held = new Promise(resolve => {
      release = resolve;
    });
    return release;
  }

  /** Kills the process (SIGKILL). Resolves when it has ended. */
  async kill(): Promise<void> {
    this.#expected.add(this.#present.child);
    await this.#present.child.stop('SIGKILL');
  }

  /** Stops the process with SIGTERM. Resolves when it has ended. Records an error if the exit status is not 0. */
  async terminate(): Promise<void> {
    const { child } = this.#present;
    this.#expected.add(child);
    const ending = await child.stop();
    if (ending !== 0) this.faults.push(`${this.label} ended after SIGTERM with ${ending}: ${child.report}`);
  }

  /** Pauses the process with SIGSTOP. A paused process still exists, but does not run. */
  pause(): void {
    this.#isPaused = true;
    this.#present.child.signal('SIGSTOP');
  }

  /** Continues the stopped process with SIGCONT. */
  resume(): void {
    this.#isPaused = false;
    this.#present.child.signal('SIGCONT');
  }

  /**
   * Waits until a core that the test has paused with SIGSTOP has ended. The core must end because it has lost its
   * buckets of data. Otherwise, records an error.
   */
  async lostBuckets(): Promise<void> {
    const { child } = this.#present;
    this.#expected.add(child);
    const isEnded = () => !child.running;
    await until(`the end of ${this.label}`, isEnded, ended => ended).catch(() => {});
    if (!child.output.includes(LOST_BUCKETS))
      this.faults.push(
        `${this.label} stood still, and did not end as one that lost its buckets: ${child.report}`,
      );
  }

  /** Resolves when the process runs and is not stopped with SIGSTOP. Rejects after a minute. */
  async up(): Promise<void> {
    await until(
      `${this.label} again`,
      () => this.isUp,
      found => found,
      AGAIN_MS,
    ).catch(error => {
      throw new Error(`${error}\n${this.report}`);
    });
  }

  /** Ends the process with a signal, and does not start it again. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#isStopping = true;
    if (signal === 'SIGKILL') await this.#present.child.stop(signal);
    else await this.terminate();
  }

  async #keep(): Promise<void> {
    while (!this.#isStopping) {
      const { child } = this.#present;
      await child.ended;
      this.#previous = child.report.slice(-KEPT_REPORT);
      if (!this.#isStopping && !this.#expected.has(child)) this.#checkEnding(child.report);
      await this.#held;
      await this.#startAgain();
    }
  }

  async #startAgain(): Promise<void> {
    while (!this.#isStopping) {
      try {
        this.#present = await ServiceProcess.start(this.#name, this.#env);
        this.onStart(this.#present);
        if (this.#isStopping) await this.kill();
        return;
      } catch (error) {
        // The new process ended before it was ready, so this loop starts the process again.
        this.#checkEnding(String(error));
      }
    }
  }

  #checkEnding(report: string): void {
    const lost = report.split('\n').find(line => line.includes(LOST_BUCKETS));
    if (lost !== undefined)
      this.lostLeases.push(`${this.label}: ${/"message":"([^"]*)/.exec(lost)?.[1] ?? lost}`);
    else this.faults.push(`${this.label} ended by itself: ${report.slice(-KEPT_REPORT)}`);
  }
}
