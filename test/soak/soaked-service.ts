import { clients, internalMetadata } from '../../proto/clients.ts';
import { credentialHeaders } from '../bench/service.ts';
import { INTERNAL_SECRET, Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { bodyOf, GAME } from './requests.ts';
import { Sampler } from './sampler.ts';

/** As many as are due at first: a million servers, each once a minute. */
const MOST_PROBES_A_SECOND = 1_000_000 / 60;
const A_REQUEST = 1_000;
const PROBED_WITHIN_MS = 120_000;

/** The whole service, tracking made-up servers that are due so often that their number says how many probes a second are. */
export class SoakedService {
  readonly stack: Stack;
  readonly #intervalMs: number;
  /** Those it tracks. */
  #addresses: readonly string[];

  private constructor(stack: Stack, intervalMs: number, addresses: readonly string[]) {
    this.stack = stack;
    this.#intervalMs = intervalMs;
    this.#addresses = addresses;
  }

  /** Resolves when it has probed each of them. A million probes a minute are due then, more than the machine may do. */
  static async start(addresses: readonly string[]): Promise<SoakedService> {
    const intervalMs = Math.round((addresses.length / MOST_PROBES_A_SECOND) * 1000);
    const many = String(addresses.length);
    const stack = await Stack.start({
      env: {
        GSQ_PROBE_INTERVAL: `${intervalMs}ms`,
        GSQ_PACKETS_PER_SECOND: '1000000',
        GSQ_MAX_IN_FLIGHT: '5000',
        GSQ_INSERTS_PER_MINUTE: many,
        GSQ_MAX_UNPROVEN_PER_TOKEN: many,
        GSQ_BURST_LIMIT: '1000000000',
        GSQ_LOG_LEVEL: 'warn',
      },
    });
    try {
      const sampler = new Sampler(stack);
      for (const part of partsOf(addresses)) await insert(stack, part);
      await until(
        'all servers probed',
        () => sampler.sample(),
        ({ probesOnline }) => probesOnline >= addresses.length,
        PROBED_WITHIN_MS,
      );
      return new SoakedService(stack, intervalMs, addresses);
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** Probes due in a second. */
  get probesDue(): number {
    return (this.#addresses.length / this.#intervalMs) * 1000;
  }

  /** Has it forget servers until no more probes than these are due in a second. */
  async calmTo(probesASecond: number): Promise<void> {
    const kept = Math.min(Math.round((probesASecond * this.#intervalMs) / 1000), this.#addresses.length);
    const admin = clients.admin(this.stack.internal);
    try {
      for (const part of partsOf(this.#addresses.slice(kept))) {
        await new Promise<void>((resolve, reject) =>
          admin.removeServers(
            { servers: [{ gameId: GAME, servers: [...part] }] },
            internalMetadata(INTERNAL_SECRET),
            error => (error ? reject(error) : resolve()),
          ),
        );
      }
    } finally {
      admin.close();
    }
    this.#addresses = this.#addresses.slice(0, kept);
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }
}

function partsOf(addresses: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(addresses.length / A_REQUEST) }, (_, i) =>
    addresses.slice(i * A_REQUEST, (i + 1) * A_REQUEST),
  );
}

/** They are fetched, and so adopted. */
async function insert(stack: Stack, addresses: readonly string[]): Promise<void> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentialHeaders },
    body: bodyOf(addresses),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
