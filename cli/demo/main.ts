/** Runs the demo fleet in a separate process, and sends the addresses of its servers to the launcher. */

import { runProcess } from '../../runtime/lifecycle.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { createEarlyLogger, createLogger, type Logger } from '../../runtime/log.ts';
import { settings } from '../../runtime/settings.ts';
import { startFleet } from './fleet.ts';
import { demoPlan } from './fleet-plan.ts';

const WANDER_MS = 3_000;

let log: Logger = createEarlyLogger('demo');

await runProcess(
  () => log,
  async () => {
    const { GSQ_LOG_LEVEL, GSQ_LOG_FORMAT } = loadConfig(settings, process.env, []);
    log = createLogger('demo', GSQ_LOG_LEVEL, GSQ_LOG_FORMAT);
    const fleet = await startFleet({ plan: demoPlan, now: Date.now, random: Math.random });
    const wandering = setInterval(() => fleet.wander(), WANDER_MS);
    const servers = fleet.servers.map(({ gameId, address, protocol }) => ({
      game_id: gameId,
      address,
      protocol,
    }));
    return {
      addresses: {},
      notes: { servers: JSON.stringify(servers) },
      drain: async () => {
        clearInterval(wandering);
        await fleet.stop();
      },
    };
  },
);
