import type { FleetPart } from './fleet-host.ts';
import type { FleetTarget } from './fleet-member.ts';
import { Worker } from './worker.ts';

const HOSTS = 2;
const FIRST_PORT = 27_015;
const HOST = new URL('./fleet-host.ts', import.meta.url);

/** A fleet of fake game servers that run in worker processes. */
export class FleetHosts {
  readonly #hosts: readonly Worker<FleetPart, FleetTarget[]>[];

  private constructor(hosts: readonly Worker<FleetPart, FleetTarget[]>[]) {
    this.#hosts = hosts;
  }

  static async start(): Promise<FleetHosts> {
    return new FleetHosts(
      await Promise.all(Array.from({ length: HOSTS }, () => Worker.start<FleetPart, FleetTarget[]>(HOST))),
    );
  }

  /**
   * Closes the servers of the previous call, and opens `servers` new ones. If `populated` is true, all new servers have
   * players, otherwise half of them.
   */
  async open(protocol: string, servers: number, populated = false): Promise<FleetTarget[]> {
    const count = servers / this.#hosts.length;
    const opened = this.#hosts.map((host, i) =>
      host.ask({ protocol, port: FIRST_PORT + i, first: i * count, count, populated }),
    );
    return (await Promise.all(opened)).flat();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#hosts.map(host => host.stop()));
  }
}
