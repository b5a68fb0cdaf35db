import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { Child } from './child.ts';
import type { ProcessName } from './stack-settings.ts';

/**
 * Name of the data directory of a test process that was started without GSQ_DATA_DIR. The directory is in the home
 * directory of the process.
 */
const DATA = 'data';

/** A core, gateway, prober or notifier process, which the test starts like an operator would. */
export class ServiceProcess {
  readonly child: Child;
  /** The message in which the process reported that it is ready. */
  readonly ready: ReadyMessage;

  private constructor(child: Child, ready: ReadyMessage) {
    this.child = child;
    this.ready = ready;
  }

  /**
   * Starts a process of the service, and resolves when it is ready. First copies `files` (paths) into the data
   * directory of the process, unless `env` contains GSQ_DATA_DIR.
   */
  static async start(
    name: ProcessName,
    env: Record<string, string>,
    files: readonly string[] = [],
  ): Promise<ServiceProcess> {
    const argv = (home: string) => {
      if (env.GSQ_DATA_DIR !== undefined) return serviceArguments(name);
      const directory = join(home, DATA);
      if (files.length > 0) mkdirSync(directory, { mode: 0o700 });
      for (const file of files) copyFileSync(file, join(directory, basename(file)));
      return [...serviceArguments(name), '--data-dir', directory];
    };
    const child = await Child.start(process.execPath, argv, { env, ipc: true });
    const ready = once(child.process, 'message').then(([message]): ReadyMessage => message);
    const ended = child.ended.then(() => Promise.reject(new Error(child.report)));
    // `ended` also rejects if the process ends later, after it was ready. Without this handler, Node would report an
    // unhandled rejection.
    ended.catch(() => {});
    try {
      return new ServiceProcess(child, await Promise.race([ready, ended]));
    } catch (error) {
      await child.stop('SIGKILL');
      throw error;
    }
  }

  /**
   * Returns an address on which the process listens, as `host:port`. `setting`: the setting that configures the
   * address, such as GSQ_HTTP_ADDR.
   */
  address(setting: string): string {
    const address = this.ready.addresses[setting];
    if (address === undefined) throw new Error(`${setting} is not among the bound addresses`);
    return address;
  }

  /**
   * Returns the path of a file in the default data directory of this process. A process with GSQ_DATA_DIR does not use
   * this directory.
   */
  dataFile(name: string): string {
    return join(this.child.home, DATA, name);
  }
}
