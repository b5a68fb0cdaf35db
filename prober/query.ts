/**
 * Probes one server directly, without a running core, and prints one JSON object: `query.ts <game> <address>
 * [--secret-file=<file>] [--option=<name>=<value>]...`.
 *
 * Exit status: 0 if the server is online, 1 if it is offline or the probe failed, 2 for a usage error, 3 for a
 * configuration error.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseAddress, type ServerAddress } from '../net/address.ts';
import { Resolver } from '../net/resolver.ts';
import { TargetPolicy } from '../net/targets.ts';
import { type CatalogGame, parseCatalog, queryPorts } from '../proto/catalog.ts';
import { optionFault, readOption, type ServerAccess, secretFault } from '../proto/game-access.ts';
import { inWords } from '../runtime/error-words.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { readSecretText, SecretFileError } from '../runtime/secret-file.ts';
import { settings } from '../runtime/settings.ts';
import { checkOptIn } from './directories/directories.ts';
import { userAgent } from './directories/user-agent.ts';
import type { ProbeResult } from './probes/probe-result.ts';
import type { ProbeTarget } from './probes/probe-target.ts';
import { Probes } from './probes/probes.ts';
import type { ProbesOptions } from './probes/probes-options.ts';
import { resolveTarget } from './target.ts';

const RETRY_AFTER_MS = 1_000;

function fail(status: number, message: string): never {
  process.stderr.write(`gsq: ${message}\n`);
  process.exit(status);
}

type DirectorySettings = NonNullable<ProbesOptions['directories']> & { dnsServers: readonly string[] };

function loadGames(): { games: CatalogGame[]; directories: DirectorySettings } {
  try {
    const config = loadConfig(settings, process.env, []);
    const games = parseCatalog(readFileSync(config.GSQ_CATALOG, 'utf8'), config.GSQ_CATALOG);
    const optIn = config.GSQ_DIRECTORY_OPT_IN;
    checkOptIn(optIn);
    const directories = {
      userAgent: userAgent(config.GSQ_CONTACT),
      optIn,
      dnsServers: config.GSQ_DNS_SERVERS,
    };
    return { games, directories };
  } catch (error) {
    return fail(exitStatus.configuration, error instanceof Error ? error.message : String(error));
  }
}

/** Reads the secret and the options of the server from the command line arguments. */
function readAccess(
  { protocol }: CatalogGame,
  file: string | undefined,
  texts: readonly string[],
): ServerAccess {
  const options = new Map<string, string>();
  for (const text of texts) {
    const [name, value] = readOption(text) ?? fail(exitStatus.usage, 'write --option as name=value');
    const fault = optionFault(protocol, name, value);
    if (fault !== undefined) return fail(exitStatus.usage, fault);
    if (value !== '') options.set(name, value);
  }
  if (file === undefined) return { secret: '', options };
  const secret = readSecret(file);
  const fault = secretFault(protocol, secret);
  return fault === undefined ? { secret, options } : fail(exitStatus.usage, fault);
}

function readSecret(file: string): string {
  try {
    return readSecretText(file);
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error;
    return fail(exitStatus.usage, `--secret-file: ${error.message}`);
  }
}

interface Question extends ServerAccess {
  game: CatalogGame;
  address: ServerAddress;
}

function readArguments(games: readonly CatalogGame[]): Question {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'secret-file': { type: 'string' }, option: { type: 'string', multiple: true } },
  });
  const [gameId, text, ...rest] = positionals;
  if (gameId === undefined || text === undefined || rest.length > 0) {
    return fail(exitStatus.usage, 'usage: query <game> <host:port>');
  }
  const game = games.find(({ id, aliases }) => id === gameId || aliases.includes(gameId));
  if (!game) return fail(exitStatus.usage, `there is no game "${gameId}"; list them with: gsq games`);
  const address = parseAddress(text);
  if (address.kind === 'malformed') return fail(exitStatus.usage, `the address "${text}" ${address.message}`);
  return { game, address, ...readAccess(game, values['secret-file'], values.option ?? []) };
}

const { games, directories } = loadGames();
const { game, address, secret, options } = readArguments(games);
const target = await resolveTarget(
  {
    host: address.host,
    port: address.port,
    queryPorts: queryPorts(game, address.port),
    protocol: game.protocol,
    gamedigId: game.gamedigId,
    confirm: false,
    secret,
    options,
  },
  // Allows probes of every address, because the user chose the address on the command line.
  new TargetPolicy(['0.0.0.0/0', '::/0']),
  new Resolver(directories.dnsServers, Date.now),
);
const names = { game_id: game.id, server: address.canonical };
/** Prints a failed probe as JSON. The key `outcome` has the same values as in the metrics of the prober. */
function printFailure({ outcome, detail }: { outcome: string; detail: string }): void {
  const name = outcome.replace('PROBE_OUTCOME_', '').toLowerCase();
  console.log(JSON.stringify({ online: false, ...names, outcome: name, message: inWords(detail) }));
}
/**
 * If the server did not answer, repeats the probe with a different socket. A single lost packet does not prove that the
 * server is offline.
 */
async function askAgain(silent: ProbeTarget): Promise<ProbeResult> {
  await setTimeout(RETRY_AFTER_MS);
  return probes.probe({ ...silent, confirm: true });
}

if ('outcome' in target) {
  printFailure(target);
  process.exit(exitStatus.failed);
}
const probes = await Probes.open({
  directories,
  warn: message => process.stderr.write(`gsq: ${message}\n`),
});
const first = await probes.probe(target);
const result = first.outcome === 'PROBE_OUTCOME_NO_REPLY' ? await askAgain(target) : first;
await probes.close();
if (result.outcome === 'PROBE_OUTCOME_ONLINE') {
  const { playerList, ...facts } = result.payload;
  const payload = {
    ...facts,
    connect: facts.connect || address.canonical,
    numplayers: facts.players,
    raw: { numbots: facts.numbots, players: playerList },
  };
  console.log(JSON.stringify({ online: true, ...names, query_port: result.queryPort, payload }));
} else {
  printFailure(result);
  process.exitCode = exitStatus.failed;
}
