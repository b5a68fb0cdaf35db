import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitStatus } from '../../../runtime/lifecycle.ts';
import { CoreProcess } from '../../faults/core-process.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { until } from '../../system/until.ts';

const WAITING = 'another core owns the store';
const REPLACED = 'another core has taken over, this process ends';
const TAKEN_OVER_MS = 60_000;

/** A core process and its data directory. */
interface Seat {
  core: CoreProcess;
  directory: string;
}

/**
 * Two core processes with one store: the owner and the standby. When the standby becomes the owner, it is replaced by a
 * new standby as soon as the previous owner has ended. A standby that ends is replaced too. This is what a service
 * manager does with two cores.
 */
export class CorePair {
  /** One message for each core process that ended in a way that no fault of the test explains. */
  readonly faults: string[] = [];
  /**
   * Number of owners that ended because they lost the owner lease, without the owners that a fault had paused or
   * killed.
   */
  lostLeases = 0;
  readonly #env: Record<string, string>;
  readonly #directories: readonly [string, string];
  readonly #onOwner: (core: CoreProcess) => Promise<void>;
  /** Core processes that a fault of the test ends, so their end is no error. */
  readonly #ended = new Set<CoreProcess>();
  #owner: Seat;
  #standby: CoreProcess | undefined;
  #isStopping = false;
  #kept: Promise<void> = Promise.resolve();

  private constructor(
    env: Record<string, string>,
    directories: readonly [string, string],
    owner: CoreProcess,
    onOwner: (core: CoreProcess) => Promise<void>,
  ) {
    this.#env = env;
    this.#directories = directories;
    this.#owner = { core: owner, directory: directories[0] };
    this.#onOwner = onOwner;
  }

  /**
   * Starts both cores. `directory`: data directory of the first owner. `onOwner` is called with each new owner of the
   * store, when the owner answers. Resolves when the standby waits.
   */
  static async start(
    directory: string,
    env: Record<string, string>,
    onOwner: (core: CoreProcess) => Promise<void>,
  ): Promise<CorePair> {
    const directories = [directory, scratchDirectory()] as const;
    const given = { ...env, GSQ_LOG_LEVEL: 'info' };
    const owner = await CoreProcess.start(directories[0], given);
    // Both cores must hash the secrets of tokens with the same key.
    copyFileSync(join(directories[0], 'token.key'), join(directories[1], 'token.key'));
    const pair = new CorePair(given, directories, owner, onOwner);
    await onOwner(owner);
    pair.#kept = pair.#keep();
    await pair.settled();
    return pair;
  }

  /** The core that has become the owner of the store most recently. */
  get owner(): CoreProcess {
    return this.#owner.core;
  }

  /** State and recent output of both cores, for error messages. */
  get report(): string {
    return [this.owner.child.report, this.#standby?.child.report ?? 'no standby', ...this.faults].join('\n');
  }

  /** Resolves when the owner of the store runs and the standby core waits. */
  async settled(): Promise<void> {
    const isSettled = () =>
      this.owner.child.running &&
      this.#standby?.child.running === true &&
      this.#standby.child.output.includes(WAITING);
    await until('an owner and a standby', isSettled, found => found, TAKEN_OVER_MS).catch(error => {
      throw new Error(`${error}\n${this.report}`);
    });
  }

  /**
   * Call this method before a fault that takes the owner lease away: the owner then ends by itself, and this is no
   * error.
   */
  expectEnding(): void {
    this.#ended.add(this.owner);
  }

  /** Kills the core that owns the store. Resolves when it has ended. */
  async killOwner(): Promise<void> {
    this.#ended.add(this.owner);
    await this.owner.child.stop('SIGKILL');
  }

  /** Kills the standby core. Resolves when it has ended. */
  async killStandby(): Promise<void> {
    if (!this.#standby) return;
    this.#ended.add(this.#standby);
    await this.#standby.child.stop('SIGKILL');
  }

  /** Waits until a different core than `previous` is the owner of the store. */
  async tookOver(previous: CoreProcess): Promise<void> {
    await until(
      'a new owner',
      () => this.owner !== previous,
      found => found,
      TAKEN_OVER_MS,
    ).catch(error => {
      throw new Error(`${error}\n${previous.child.report}\n${this.report}`);
    });
  }

  /**
   * Pauses the owner process (SIGSTOP) until the standby is the owner of the store. Checks that the old owner ends when
   * it continues.
   */
  async pauseOwner(): Promise<void> {
    const stopped = this.owner;
    this.#ended.add(stopped);
    stopped.child.signal('SIGSTOP');
    try {
      await this.tookOver(stopped);
    } finally {
      stopped.child.signal('SIGCONT');
    }
    const ending = await stopped.child.ended;
    if (ending !== exitStatus.failed || !stopped.child.output.includes(REPLACED))
      this.faults.push(`a replaced owner ended with ${ending}: ${stopped.child.output.slice(-1000)}`);
  }

  /** Stops both cores with SIGTERM, the standby first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#standby) await this.#standby.child.stop();
    await this.owner.child.stop();
    await this.#kept;
  }

  /** Kills both cores. */
  async kill(): Promise<void> {
    this.#isStopping = true;
    await this.#standby?.child.stop('SIGKILL');
    await this.owner.child.stop('SIGKILL');
  }

  /** Starts a new standby core whenever there is none, until the pair is stopped. */
  async #keep(): Promise<void> {
    while (!this.#isStopping) {
      const directory = this.#directories.find(each => each !== this.#owner.directory) ?? '';
      const core = await CoreProcess.spawn(directory, this.#env);
      this.#standby = core;
      const isOwner = await core.address('GSQ_GRPC_ADDR').then(
        () => true,
        () => false,
      );
      if (!isOwner) {
        this.#checkEnding(core);
        continue;
      }
      const previous = this.#owner.core;
      this.#owner = { core, directory };
      this.#standby = undefined;
      await this.#onOwner(core);
      await previous.child.ended;
      this.#checkEnding(previous);
    }
  }

  #checkEnding(core: CoreProcess): void {
    if (this.#isStopping || this.#ended.has(core)) return;
    const { output, report } = core.child;
    if (output.includes(REPLACED)) this.lostLeases++;
    else this.faults.push(`a core ended by itself: ${report.slice(-2000)}`);
  }
}
