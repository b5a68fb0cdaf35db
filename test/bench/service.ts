import { once } from 'node:events';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { Child } from '../system/child.ts';
import { bootstrap, type ProcessName, stackDefaults } from '../system/stack-settings.ts';
import { ADDRESSES, probeIntervalMs } from './tracked-servers.ts';

/**
 * Settings of the measured service. The limits are so high that the bench never reaches them. The probe interval is so
 * long that no probe is due during a measurement.
 */
export const settings: Readonly<Record<string, string>> = {
  ...stackDefaults,
  GSQ_PROBE_INTERVAL: `${probeIntervalMs / 1000}s`,
  GSQ_BURST_LIMIT: '1000000000',
  GSQ_MAX_SERVERS: String(ADDRESSES),
  GSQ_INSERTS_PER_MINUTE: String(ADDRESSES),
  GSQ_INSERTS_PER_DAY: String(ADDRESSES),
  GSQ_MAX_UNPROVEN: String(ADDRESSES),
  GSQ_MAX_UNPROVEN_PER_TOKEN: String(ADDRESSES),
  GSQ_LOG_LEVEL: 'warn',
};

/** A process of the service, and the message with which the process reported that it is ready. */
export type Started = [Child, ReadyMessage];

/** Function that starts a process of the service. It resolves when the process is ready. */
export type Start = (name: ProcessName, env: Record<string, string>) => Promise<Started>;

/** Resolves when a process is ready. Rejects with the output of the process if the process ends before it is ready. */
export async function whenReady(child: Child): Promise<Started> {
  const ended = child.ended.then(() => Promise.reject(new Error(child.report)));
  ended.catch(() => {});
  const [message] = await Promise.race([once(child.process, 'message'), ended]);
  return [child, message];
}

/** Starts a process of the service from this checkout of the project. */
const startHere: Start = async (name, env) =>
  whenReady(await Child.start(process.execPath, () => serviceArguments(name), { env, ipc: true }));

/**
 * Returns the `host:port` on which a process listens. `setting` is the name of the setting for this address, such as
 * GSQ_HTTP_ADDR. Throws if the process has not reported that address.
 */
export function bound(ready: ReadyMessage, setting: string): string {
  const address = ready.addresses[setting];
  if (address === undefined) throw new Error(`${setting} is not among the bound addresses`);
  return address;
}

/**
 * A core and a gateway without a prober. Each of the two runs in a process of its own, as an operator would start it.
 */
export class Service {
  readonly core: Child;
  readonly gateway: Child;
  /**
   * Time that the core needed to start, in seconds: from the start of its process until the core reported that it was
   * ready.
   */
  readonly bootSeconds: number;
  readonly #coreReady: ReadyMessage;
  readonly #gatewayReady: ReadyMessage;

  private constructor(core: Started, gateway: Started, bootSeconds: number) {
    [this.core, this.#coreReady] = core;
    [this.gateway, this.#gatewayReady] = gateway;
    this.bootSeconds = bootSeconds;
  }

  /** Starts the measured service. `more`: settings of the service in addition to the usual settings of the bench. */
  static async start(
    dataDirectory: string,
    more: Readonly<Record<string, string>> = {},
    start: Start = startHere,
  ): Promise<Service> {
    const startedAt = performance.now();
    const core = await start('core', { ...settings, ...more, GSQ_DATA_DIR: dataDirectory });
    const bootSeconds = (performance.now() - startedAt) / 1000;
    try {
      const internal = bound(core[1], 'GSQ_INTERNAL_ADDR');
      const ops = bound(core[1], 'GSQ_CORE_OPS_ADDR');
      const env = { ...settings, ...more, GSQ_INTERNAL_ADDR: internal, GSQ_CORE_OPS_ADDR: ops };
      return new Service(core, await start('gateway', env), bootSeconds);
    } catch (error) {
      await core[0].stop('SIGKILL');
      throw error;
    }
  }

  /** `host:port` of the REST interface of the measured service. */
  get http(): string {
    return bound(this.#gatewayReady, 'GSQ_HTTP_ADDR');
  }

  /** `host:port` of the public gRPC interface of the measured service. */
  get grpc(): string {
    return bound(this.#coreReady, 'GSQ_GRPC_ADDR');
  }

  /** Resolves to the number of servers that the core tracks. */
  async tracked(): Promise<number> {
    const response = await fetch(`http://${bound(this.#coreReady, 'GSQ_CORE_OPS_ADDR')}/metrics`);
    const figures = [...(await response.text()).matchAll(/^gsq_servers\{[^}]*\} (\d+)$/gm)];
    return figures.reduce((sum, [, figure]) => sum + Number(figure), 0);
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.core.stop();
  }
}

/** HTTP request headers with the credentials of the token that the bench uses. */
export const credentialHeaders = {
  'X-API-Token': bootstrap.token,
  'X-API-Token-Type': bootstrap.tier,
  'X-API-Token-Email': bootstrap.email,
} as const;
