import type { Child } from '../../system/child.ts';
import { ServiceProcess } from '../../system/service-process.ts';
import type { ProcessName } from '../../system/stack-settings.ts';
import { until } from '../../system/until.ts';

/** The message with which a core ends that has lost its lease or a bucket. */
const LOST_BUCKETS = 'this core has lost its buckets, this process ends';
const AGAIN_MS = 60_000;
/** Length of the output of a process in error messages, in characters. */
const KEPT_REPORT = 4_000;

/**
 * The place of one process of the service. Whenever the process has ended, the seat starts it again with the same
 * settings, like a service manager does.
 */
export class Seat {
  /** Name for the report, for example `core 1`. */
  readonly label: string;
  /** One message for each process that ended in a way that no fault of the test explains. */
  readonly faults: string[] = [];
  /** Number of cores that ended because they had lost their lease, without the cores that a fault had ended. */
  lostLeases = 0;
  /** Called with each process of the seat after it has started. */
  onStart: (process: ServiceProcess) => void = () => {};
  readonly #name: ProcessName;
  readonly #env: Record<string, string>;
  /** Processes that a fault of the test ends, so that their end is no error. */
  readonly #expected = new Set<Child>();
  #present: ServiceProcess;
  /** While this promise is pending, an ended process is not started again. */
  #held: Promise<void> = Promise.resolve();
  /** End of the output of the process that has ended last. */
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

  /** Starts the process `name` with these settings. Resolves when it is ready. */
  static async start(name: ProcessName, label: string, env: Record<string, string>): Promise<Seat> {
    return new Seat(name, label, env, await ServiceProcess.start(name, env));
  }

  /** The newest process of the seat. It has perhaps ended. */
  get process(): ServiceProcess {
    return this.#present;
  }

  /** True if the process of the seat runs and does not stand still. */
  get isUp(): boolean {
    return this.#present.child.running && !this.#isPaused;
  }

  /** State and recent output of the newest process and of the one before it, for error messages. */
  get report(): string {
    return [this.label, this.#previous, this.#present.child.report.slice(-KEPT_REPORT)].join('\n');
  }

  /** After this call, an ended process stays down until the returned function is called. */
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

  /** Stops the process with SIGTERM. Resolves when it has ended. Another exit status than 0 is noted as an error. */
  async terminate(): Promise<void> {
    const { child } = this.#present;
    this.#expected.add(child);
    const ending = await child.stop();
    if (ending !== 0) this.faults.push(`${this.label} ended after SIGTERM with ${ending}: ${child.report}`);
  }

  /** Lets the process stand still (SIGSTOP). */
  pause(): void {
    this.#isPaused = true;
    this.#present.child.signal('SIGSTOP');
  }

  /** Lets the process go on (SIGCONT). */
  resume(): void {
    this.#isPaused = false;
    this.#present.child.signal('SIGCONT');
  }

  /** Resolves when the core of this seat, which stood still, has ended because it has lost its buckets. */
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

  /** Resolves when the process of the seat runs. Rejects after a minute. */
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

  /** Ends the process with a signal, and starts no other. */
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
        // A process that ends before it is ready is started again too.
        this.#checkEnding(String(error));
      }
    }
  }

  #checkEnding(report: string): void {
    if (report.includes(LOST_BUCKETS)) this.lostLeases++;
    else this.faults.push(`${this.label} ended by itself: ${report.slice(-KEPT_REPORT)}`);
  }
}
