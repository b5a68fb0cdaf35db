import { once } from 'node:events';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { nodeOptions } from '../../runtime/node-options.ts';
import { Child } from '../system/child.ts';
import { bootstrap, type ProcessName, stackDefaults } from '../system/stack.ts';
import { ADDRESSES, probeIntervalMs } from './tracked-servers.ts';

/** Limits are not what is measured, and nothing is to be probed. */
const settings = {
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

/** A process that is ready, and what it told its launcher. */
export type Started = [Child, ReadyMessage];

/** Starts a process of the service; resolves when it is ready. */
export type Start = (name: ProcessName, env: Record<string, string>) => Promise<Started>;

/** Resolves when a process is ready. Rejects with all it wrote if it ends before that. */
export async function whenReady(child: Child): Promise<Started> {
  const ended = child.ended.then(() => Promise.reject(new Error(child.report)));
  ended.catch(() => {});
  const [message] = await Promise.race([once(child.process, 'message'), ended]);
  return [child, message];
}

/** Starts a process of this checkout. */
const startHere: Start = async (name, env) => {
  const child = await Child.start(
    process.execPath,
    () => [...nodeOptions[name], '--import', 'tsx', `${name}/main.ts`],
    {
      env,
      ipc: true,
    },
  );
  return whenReady(child);
};

/** `host:port` as bound for a setting such as GSQ_HTTP_ADDR. */
export function bound(ready: ReadyMessage, setting: string): string {
  const address = ready.addresses[setting];
  if (address === undefined) throw new Error(`${setting} is not among the bound addresses`);
  return address;
}

/** A core and a gateway, each a process as an operator would start it, and no prober. */
export class Service {
  readonly core: Child;
  readonly gateway: Child;
  /** From the start of the core's process until it was ready. */
  readonly bootSeconds: number;
  readonly #coreReady: ReadyMessage;
  readonly #gatewayReady: ReadyMessage;

  private constructor(core: Started, gateway: Started, bootSeconds: number) {
    [this.core, this.#coreReady] = core;
    [this.gateway, this.#gatewayReady] = gateway;
    this.bootSeconds = bootSeconds;
  }

  static async start(dataDirectory: string, start: Start = startHere): Promise<Service> {
    const startedAt = performance.now();
    const core = await start('core', { ...settings, GSQ_DATA_DIR: dataDirectory });
    const bootSeconds = (performance.now() - startedAt) / 1000;
    try {
      const internal = bound(core[1], 'GSQ_INTERNAL_ADDR');
      const ops = bound(core[1], 'GSQ_CORE_OPS_ADDR');
      const env = { ...settings, GSQ_INTERNAL_ADDR: internal, GSQ_CORE_OPS_ADDR: ops };
      return new Service(core, await start('gateway', env), bootSeconds);
    } catch (error) {
      await core[0].stop('SIGKILL');
      throw error;
    }
  }

  /** `host:port` of REST. */
  get http(): string {
    return bound(this.#gatewayReady, 'GSQ_HTTP_ADDR');
  }

  /** `host:port` of public gRPC. */
  get grpc(): string {
    return bound(this.#coreReady, 'GSQ_GRPC_ADDR');
  }

  /** How many servers the core says it tracks. */
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

/** The headers of a caller whom the service knows. */
export const credentialHeaders = {
  'X-API-Token': bootstrap.token,
  'X-API-Token-Type': bootstrap.tier,
  'X-API-Token-Email': bootstrap.email,
} as const;
