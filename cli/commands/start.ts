import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../runtime/config.ts';
import type { Layer } from '../../runtime/config-sources.ts';
import { internalSecretPath, keepInternalSecret } from '../../runtime/internal-port.ts';
import { exitStatus, type ReadyMessage } from '../../runtime/lifecycle.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { operatorEmail } from '../../runtime/operator-email.ts';
import { PRINT_CONFIG, printConfig } from '../../runtime/print-config.ts';
import { isPageOn } from '../../runtime/public-page.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { settings } from '../../runtime/settings.ts';
import { type Command, type Terminal, UsageError } from '../console/command.ts';
import type { FleetServer } from '../launcher/first-steps.ts';
import { Launch, type Launched } from '../launcher/launch.ts';
import { screen } from '../launcher/screen.ts';
import { changedSettings, dataPlace, farewell } from '../launcher/screen-facts.ts';
import { StartError } from '../launcher/supervisor.ts';

const LOOPBACK = '127.0.0.0/8';
const DEMO_DIRECTORY = join(tmpdir(), 'gsq-demo-');
const CORE = fileURLToPath(new URL('../../core/main.ts', import.meta.url));

/**
 * After the first stop signal, gsq ignores further stop signals for this time, in ms. One Ctrl-C can cause two signals:
 * the terminal and npm each send one.
 */
const SAME_WISH_MS = 1_000;

interface DemoServer {
  game_id: string;
  address: string;
  protocol: string;
}

/**
 * Returns the fake game servers of the demo. `notes`: data that the process of these servers sent when it was ready.
 * Its field `servers` is a JSON array.
 */
function fleetOf(notes: Readonly<Record<string, string>>): FleetServer[] {
  const servers = JSON.parse(notes.servers ?? '[]') as DemoServer[];
  return servers.map(({ game_id: gameId, address, protocol }) => ({ gameId, address, protocol }));
}

/**
 * Returns the default log settings of `npm start`: only warnings and errors; as text instead of JSON if stderr is a
 * terminal.
 */
function logSettings(): Record<string, string> {
  return { GSQ_LOG_LEVEL: 'warn', ...(process.stderr.isTTY && { GSQ_LOG_FORMAT: 'text' }) };
}

/**
 * Returns the settings that a demo (`npm start -- --demo`) changes, except the data directory. Keeps a probe interval
 * or GSQ_PAGE that the user has set. If the user has set no data directory, the demo uses the embedded store.
 */
function demoSettings(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const {
    GSQ_ALLOW_TARGETS: allowed,
    GSQ_PROBE_INTERVAL: interval,
    GSQ_PAGE: page,
    GSQ_DATA_DIR: directory,
  } = given;
  return {
    GSQ_ALLOW_TARGETS: allowed ? `${allowed},${LOOPBACK}` : LOOPBACK,
    ...(interval === undefined && { GSQ_PROBE_INTERVAL: '5s' }),
    ...(page === undefined && { GSQ_PAGE: 'on' }),
    ...(directory === undefined && { GSQ_STORE: settings.GSQ_STORE.default }),
  };
}

/**
 * Returns the environment of the child processes. For a demo without GSQ_DATA_DIR, creates a temporary data directory,
 * which the caller must remove.
 */
function prepare(
  given: Readonly<Record<string, string | undefined>>,
  config: Config<typeof settings>,
  demo: boolean,
): { env: Record<string, string | undefined>; temporary: string | undefined } {
  const env: Record<string, string | undefined> = { ...logSettings(), ...given };
  if (!demo) return { env, temporary: undefined };
  Object.assign(env, demoSettings(given));
  if (env.GSQ_DATA_DIR !== undefined) return { env, temporary: undefined };
  // Stores the secret of the internal port in the default data directory, where other gsq commands look for it. They
  // cannot find the temporary data directory of the demo.
  if (config.GSQ_INTERNAL_SECRET === undefined) {
    keepInternalSecret(config);
    env.GSQ_INTERNAL_SECRET_FILE = internalSecretPath(config.GSQ_DATA_DIR);
  }
  const temporary = mkdtempSync(DEMO_DIRECTORY);
  return { env: { ...env, GSQ_DATA_DIR: temporary }, temporary };
}

/** Validates the settings by running the core with --print-config. Resolves to the exit status of the core. */
async function validated(env: Record<string, string | undefined>, terminal: Terminal): Promise<number> {
  const child = spawn(process.execPath, [...scriptArguments(CORE), PRINT_CONFIG], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (said !== '') terminal.talk(said.trimEnd());
  return status ?? exitStatus.failed;
}

/** Prints the settings that `npm start` would pass to the processes of gsq, without starting these processes. */
async function print(
  given: Readonly<Record<string, string>>,
  demo: boolean,
  terminal: Terminal,
): Promise<number> {
  const all = { ...terminal.env, ...given };
  const layers: Layer[] = [
    { source: 'gsq start', given: logSettings() },
    { source: 'environment', given: terminal.env },
    { source: 'flag', given },
  ];
  if (demo) {
    // Prints XXXXXX in place of the random part of the temporary data directory, which is different at each start.
    if (all.GSQ_DATA_DIR === undefined)
      layers.unshift({ source: '--demo', given: { GSQ_DATA_DIR: `${DEMO_DIRECTORY}XXXXXX` } });
    layers.push({ source: '--demo', given: demoSettings(all) });
  }
  const status = await validated(Object.assign({}, ...layers.map(layer => layer.given)), terminal);
  if (status === exitStatus.ok) terminal.out(printConfig(settings, layers));
  return status;
}

/**
 * Waits until gsq is asked to stop, by a stop signal or by the end of the parent process. `asked` resolves at the first
 * request. Requests within SAME_WISH_MS after the first are ignored; each later one calls `again`. `forget` removes the
 * listeners.
 */
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
  const started = launch.start();
  // Loads gRPC in parallel with the start of the first process, because both take time.
  const firstSteps = import('../launcher/first-steps.ts');
  const show = async ({ addresses, demoNotes }: Launched): Promise<void> => {
    const config = loadConfig(settings, { ...env, ...addresses }, []);
    const fleet = fleetOf(demoNotes);
    const email = config.GSQ_BOOTSTRAP_EMAIL ?? operatorEmail();
    const { takeFirstSteps } = await firstSteps;
    const { secret, examples } = await takeFirstSteps(config, fleet, email);
    const facts = {
      addresses,
      tls: {
        rest: config.GSQ_HTTP_TLS_CERT !== undefined,
        grpc: config.GSQ_GRPC_TLS_CERT !== undefined,
      },
      dataPlace: dataPlace(env),
      temporary,
      settings: changedSettings(addresses, temporary ? undefined : config.GSQ_DATA_DIR, env),
      secretIsSetting: Boolean(env.GSQ_INTERNAL_SECRET),
      tier: config.GSQ_BOOTSTRAP_TYPE,
      email,
      secret,
      examples,
      isPageOn: isPageOn(config),
      fleetSize: fleet.length,
    };
    terminal.out(screen(facts));
    send({ type: 'ready', addresses: { ...addresses }, notes: {} } satisfies ReadyMessage);
  };
  try {
    const launched = await Promise.race([started, asked]);
    if (launched) {
      await show(launched);
      await asked;
    }
    // Moves the cursor to a new line, because the terminal shows `^C` on the current line.
    if (process.stderr.isTTY) terminal.talk('');
    terminal.talk('Stopping; press Ctrl-C again to stop immediately');
    const unfinished = await launch.drain();
    terminal.talk(`${killed ? 'Killed' : 'Stopped'}; ${farewell(unfinished, temporary, env)}`);
    return killed || unfinished.length > 0 ? exitStatus.failed : exitStatus.ok;
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
  usage: ['[--demo] [--print-config] [--<setting> <value>]...'],
  about: `Runs core, gateway, prober and notifier, each as a process, and restarts a process that dies. Prints the
    addresses of the processes, and an example request to paste. The first start also creates a FREE token
    and prints it once. Ctrl-C stops all processes; each process finishes its current work first.`,
  options: {
    demo: {
      type: 'boolean',
      about: `also start a fleet of fake game servers on loopback, track them, keep the data in a temporary directory, and
        probe each server every 5 s. If GSQ_DATA_DIR or GSQ_PROBE_INTERVAL is set, that value is used
        instead`,
    },
    'print-config': {
      type: 'boolean',
      about: 'print every setting with its value and its source, and start nothing; secrets are hidden',
    },
  },
  notes: `Every setting of docs/configuration.md is also a flag: --http-addr 127.0.0.1:0 is
    GSQ_HTTP_ADDR=127.0.0.1:0. The processes log warnings and errors to stderr; --log-level info shows
    more. On a terminal they log text, else JSON; --log-format json or text sets the form.`,
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError(`unexpected argument "${read.positionals[0]}"`);
    const demo = read.flag('demo');
    // For `npm start --demo` (instead of `npm start -- --demo`), npm does not pass on the option. It only sets the
    // environment variable `npm_config_demo`.
    if (!demo && terminal.env.npm_config_demo !== undefined) {
      throw new UsageError('npm did not pass on --demo; write: npm start -- --demo');
    }
    if (terminal.env.npm_config_print_config !== undefined) {
      throw new UsageError('npm did not pass on --print-config; write: npm start -- --print-config');
    }
    if (read.flag('print-config')) return print(read.given, demo, terminal);
    // If the reader of stdout closes the pipe, gsq continues, so that it can later stop its processes in the right
    // order.
    terminal.finishWithoutReader?.();
    const { env, temporary } = prepare({ ...terminal.env, ...read.given }, read.config, demo);
    try {
      return await run(env, temporary !== undefined, demo, terminal);
    } finally {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    }
  },
};
