import { type Fleet, type FleetServer, startFleet } from '../../cli/demo/fleet.ts';
import type { ServerPlan } from '../../cli/demo/fleet-plan.ts';
import { HOSTILE_TEXTS } from '../gateway/page/views/hostile-texts.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';

const GAME = 'counterstrike2';
/**
 * Hostile server names, without zero bytes and cut to 200 characters. A zero byte would end the name in the reply of
 * the game server, and a long reply would not fit into a packet.
 */
const HOSTILE_NAMES = HOSTILE_TEXTS.map(text => text.replaceAll('\0', '').slice(0, 200));
const NAMES = ['Vanilla EU', 'Dust all day', 'Awp only', ...HOSTILE_NAMES];

/** A running service that shows a fleet of fake game servers on its pages. */
export class ShownFleet {
  readonly servers: readonly FleetServer[];
  readonly base: string;
  readonly #stack: Stack;
  readonly #fleet: Fleet;

  private constructor(stack: Stack, fleet: Fleet) {
    this.#stack = stack;
    this.#fleet = fleet;
    this.servers = fleet.servers;
    this.base = `http://${stack.http}`;
  }

  /** Starts the service and the fake game servers. Resolves when the service shows all these servers as online. */
  static async start(): Promise<ShownFleet> {
    const stack = await Stack.start({
      processes: ['core', 'gateway', 'prober'],
      env: { GSQ_PAGE: 'on', GSQ_PROBE_INTERVAL: '1s' },
    });
    const random = randomNumbers(1);
    const fleet = await startFleet({
      plan: NAMES.map(planOf),
      now: Date.now,
      random: () => random(1_000) / 1_000,
    });
    const shown = new ShownFleet(stack, fleet);
    await shown.#insert();
    await until(
      'all servers are online',
      () => shown.#online(),
      online => online === NAMES.length,
    );
    return shown;
  }

  /** Path of the page that shows the server with this index. */
  pathOf(index: number): string {
    const { gameId, address } = this.#server(index);
    return `/server/${gameId}/${encodeURIComponent(address)}`;
  }

  setPlayers(index: number, count: number): void {
    this.#server(index).setPlayers(count);
  }

  async stop(): Promise<void> {
    await this.#stack.stop();
    await this.#fleet.stop();
  }

  #server(index: number): FleetServer {
    const server = this.servers[index];
    if (!server) throw new Error(`the fleet has no server ${index}`);
    return server;
  }

  async #insert(): Promise<void> {
    const response = await fetch(`${this.base}/v1/post/fetch`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Token': bootstrap.token,
        'X-API-Token-Type': bootstrap.tier,
        'X-API-Token-Email': bootstrap.email,
      },
      body: JSON.stringify({
        servers: [{ game_id: GAME, servers: this.servers.map(({ address }) => address) }],
      }),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  async #online(): Promise<number> {
    const response = await fetch(`${this.base}/v1/servers?status=online`);
    // Right after its start, the core answers searches with an error. The test then counts 0 online servers and asks
    // again.
    if (!response.ok) return 0;
    return ((await response.json()) as { total_size: number }).total_size;
  }
}

function planOf(name: string, index: number): ServerPlan {
  return {
    gameId: GAME,
    protocol: 'a2s',
    name,
    map: index < 3 ? 'de_dust2' : name.slice(0, 60),
    version: '1.41',
    maxplayers: 20,
    players: 10 - Math.min(index, 10),
    port: 0,
  };
}
