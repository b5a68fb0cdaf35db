import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { settings } from '../proto/settings.ts';
import { type Config, loadConfig } from '../runtime/config.ts';
import { internalSecretPath, keepInternalSecret } from '../runtime/internal-port.ts';
import { exitStatus, type ReadyMessage } from '../runtime/lifecycle.ts';
import { type Command, readArguments, type Terminal, UsageError } from './command.ts';
import { makeFirstToken } from './launcher/first-token.ts';
import { Launch, type Launched } from './launcher/launch.ts';
import { type FleetServer, screen } from './launcher/screen.ts';
import { StartError } from './launcher/supervisor.ts';

const LOOPBACK = '127.0.0.0/8';

/** One Ctrl-C comes twice under npm, which forwards what the terminal sends to all; that is no second wish. */
const SAME_WISH_MS = 1_000;

interface DemoServer {
  game_id: string;
  address: string;
  protocol: string;
}

/** The fleet's servers, which it tells as JSON. */
function fleetOf(notes: Readonly<Record<string, string>>): FleetServer[] {
  const servers = JSON.parse(notes.servers ?? '[]') as DemoServer[];
  return servers.map(({ game_id: gameId, address, protocol }) => ({ gameId, address, protocol }));
}

/** The children's environment, and the directory to remove at the end, where one was made. */
function prepare(
  given: Readonly<Record<string, string | undefined>>,
  config: Config<typeof settings>,
  demo: boolean,
): { env: Record<string, string | undefined>; temporary: string | undefined } {
  // The first screen is for people; whoever sets a level gets every process's log on stderr.
  const env: Record<string, string | undefined> = { GSQ_LOG_LEVEL: 'warn', ...given };
  if (!demo) return { env, temporary: undefined };
  env.GSQ_ALLOW_TARGETS = env.GSQ_ALLOW_TARGETS ? `${env.GSQ_ALLOW_TARGETS},${LOOPBACK}` : LOOPBACK;
  env.GSQ_PROBE_INTERVAL ??= '5s';
  if (env.GSQ_DATA_DIR !== undefined) return { env, temporary: undefined };
  // Where commands look for it, which know nothing of the temporary directory.
  if (config.GSQ_INTERNAL_SECRET === undefined) {
    keepInternalSecret(config);
    env.GSQ_INTERNAL_SECRET_FILE = internalSecretPath(config.GSQ_DATA_DIR);
  }
  const temporary = mkdtempSync(join(tmpdir(), 'gsq-demo-'));
  return { env: { ...env, GSQ_DATA_DIR: temporary }, temporary };
}

/** Resolves at the first request to end; calls `again` at each later one. */
function untilAsked(again: () => void): { asked: Promise<void>; forget: () => void } {
  let firstAt: number | undefined;
  let onFirst: () => void = () => {};
  const asked = new Promise<void>(first => {
    onFirst = first;
  });
  const onRequest = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      onFirst();
    } else if (Date.now() - firstAt >= SAME_WISH_MS) {
      again();
    }
  };
  const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'];
  for (const event of events) process.on(event, onRequest);
  const forget = (): void => {
    for (const event of events) process.off(event, onRequest);
  };
  return { asked, forget };
}

async function run(
  env: Record<string, string | undefined>,
  temporary: boolean,
  demo: boolean,
  terminal: Terminal,
): Promise<number> {
  const send = (message: unknown): void => {
    if (process.connected) process.send?.(message);
  };
  const launch = new Launch({ env, demo, talk: terminal.talk, onStarted: send });
  let killed = false;
  const { asked, forget } = untilAsked(() => {
    killed = true;
    launch.kill();
  });
  const show = async ({ addresses, demoNotes }: Launched): Promise<void> => {
    const config = loadConfig(settings, { ...env, ...addresses }, []);
    const token = await makeFirstToken(config);
    const dataDirectory = resolve(config.GSQ_DATA_DIR);
    terminal.out(screen({ addresses, dataDirectory, temporary, token, fleet: fleetOf(demoNotes) }));
    send({ type: 'ready', addresses: { ...addresses }, notes: {} } satisfies ReadyMessage);
  };
  try {
    const launched = await Promise.race([launch.start(), asked]);
    if (launched) {
      await show(launched);
      await asked;
    }
    terminal.talk('gsq: stopping; Ctrl-C once more stops at once');
    await launch.drain();
    return killed ? exitStatus.failed : exitStatus.ok;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    terminal.talk(`gsq: ${error.message}`);
    return error.status;
  } finally {
    await launch.drain();
    forget();
  }
}

export const start: Command = {
  help: `Usage: gsq start [--demo] [--<setting> <value>]...

Runs core, gateway and prober as three processes, starts one that dies again, and prints where they listen; at the
first start also a FREE token, once, with requests to paste. Ctrl-C lets all of them finish their work and stops them.

  --demo   with a fleet of fake game servers on loopback, data in a temporary directory, and a probe every 5 s;
           GSQ_DATA_DIR and GSQ_PROBE_INTERVAL are heeded where they are set

Every setting of docs/configuration.md may be given as a flag: --http-addr 127.0.0.1:0 is GSQ_HTTP_ADDR=127.0.0.1:0.
The processes log warnings and errors on stderr; --log-level info shows more.
`,
  async run(args, terminal) {
    const read = readArguments(args, { demo: { type: 'boolean' } }, terminal);
    if (read.positionals.length > 0) throw new UsageError(`"${read.positionals[0]}" belongs to no option`);
    const demo = read.flag('demo');
    // npm takes `npm start --demo`, without the dashes between, for an option of its own.
    if (!demo && terminal.env.npm_config_demo !== undefined) {
      throw new UsageError('npm kept --demo for itself; write: npm start -- --demo');
    }
    const { env, temporary } = prepare({ ...terminal.env, ...read.given }, read.config, demo);
    try {
      return await run(env, temporary !== undefined, demo, terminal);
    } finally {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    }
  },
};
