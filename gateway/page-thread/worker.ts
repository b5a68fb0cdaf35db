/**
 * The page thread: builds pages and images for the gateway. The main thread sends a `PageSetup` as worker data, and
 * then each request as a `PageRequest`. The thread answers with `PageMessage`s.
 */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { options } from 'preact';
import { clients } from '../../proto/clients.ts';
import { CoreClients } from '../../proto/cluster/core-clients.ts';
import { coreSecurity } from '../../proto/cluster/core-security.ts';
import { descriptorImage } from '../../proto/descriptors.ts';
import type { InternalRoute } from '../../runtime/internal-port.ts';
import { createLogger } from '../../runtime/log.ts';
import { setThreadPriority } from '../../runtime/thread-priority.ts';
import { WorkPauses } from '../../runtime/work-pauses.ts';
import { docsPage } from '../docs/docs-page.ts';
import { embedsOf } from '../embed/embeds.ts';
import { Rasteriser } from '../embed/png/rasteriser.ts';
import { CatalogCache } from '../games/catalog-cache.ts';
import { asServiceError, errorReply } from '../http/error-reply.ts';
import type { Reply } from '../http/exchange.ts';
import { readRoutes } from '../http/routes.ts';
import { compress } from '../http/send.ts';
import { BaseUrl } from '../json/base-url.ts';
import { PublicPaths } from '../json/public-paths.ts';
import { Assets } from '../page/assets.ts';
import { CoreReads } from '../page/core-reads.ts';
import { GameNames } from '../page/game-names.ts';
import { type AnswerVisit, busyReply, pageAnswer } from '../page/page-answer.ts';
import type { PageName } from '../page/page-routes.ts';
import { pagesOf } from '../page/pages.ts';
import type { Visit } from '../page/visit.ts';
import { overloaded } from '../upstream/core-errors.ts';
import { CoreSet } from '../upstream/core-set.ts';
import { JsonCalls } from '../upstream/json-calls.ts';
import { JsonClient } from '../upstream/json-client.ts';
import { listGames } from '../upstream/list-games.ts';
import type { BuiltReply, CoresUpdate, PageMessage, PageRequest, PageSetup } from './thread-messages.ts';

/** Scheduling priority (nice value) of this thread. It is low, because pages must not slow down fetches. */
const NICE = 15;

const setup = workerData as PageSetup;

function securityOf({ host, tls }: InternalRoute) {
  // Converts the arrays to Buffers, because a Buffer from another thread arrives as a plain Uint8Array.
  const identity = tls && {
    authority: Buffer.from(tls.authority),
    certificate: Buffer.from(tls.certificate),
    key: Buffer.from(tls.key),
  };
  return coreSecurity({ host, tls: identity });
}

function answersOf({ route, secret, timeoutMs, isOn, contact, ...given }: PageSetup) {
  const security = securityOf(route);
  const publicUrl = given.publicUrl === undefined ? undefined : new URL(given.publicUrl);
  const cores = new CoreSet(route.address, address => send({ kind: 'suspect', address }));
  const games = new CoreClients(cores, address => clients.game(address, security(address)));
  const log = createLogger('gateway', given.logLevel, given.logFormat);
  const load = () => listGames({ cores, clients: games, secret, timeoutMs });
  const catalog = new CatalogCache({ load, now: Date.now, log });
  const clientOf = (address: string) => new JsonClient(clients.any(address, security(address)), secret);
  const open = new CoreClients(cores, clientOf);
  const calls = new JsonCalls({ cores, clients: open, timeoutMs });
  const context = {
    isOn,
    contact,
    publicPaths: new PublicPaths(isOn, publicUrl),
    baseUrl: new BaseUrl(publicUrl, given.isTls),
    assets: new Assets(),
    reads: new CoreReads(readRoutes(descriptorImage), calls, secret),
    games: new GameNames(catalog, Date.now),
    rasteriser: new Rasteriser(),
    now: Date.now,
  };
  const { assets, baseUrl } = context;
  const answers: Record<PageName, AnswerVisit> = {
    ...pagesOf(context),
    ...embedsOf(context),
    docs_page: pageAnswer(context, 'documents', visit => docsPage(visit, assets, baseUrl)),
  };
  return { answers, cores, busy: busyReply(context) };
}

const pauses = new WorkPauses();
// Preact calls this function after each rendered element.
options.diffed = pauses.pauseIfDue;

async function built(reply: Reply, acceptsGzip: boolean, added: Visit['headers']): Promise<BuiltReply> {
  const { status, code, body, isCompressed = false } = reply;
  const isGzipped = body !== undefined && acceptsGzip && !isCompressed;
  pauses.pauseIfDue();
  const bytes = isGzipped ? await compress(body) : body;
  return {
    status,
    code,
    headers: { ...added, ...reply.headers },
    body: bytes && new Uint8Array(bytes),
    isGzipped,
    isCompressed,
  };
}

async function answer(
  answers: Record<PageName, AnswerVisit>,
  { name, facts }: PageRequest,
): Promise<BuiltReply> {
  const { variables, query, acceptsGzip } = facts;
  const visit = { ...facts, target: { variables, query: new URLSearchParams(query) }, headers: {} };
  try {
    return await built(await answers[name](visit), acceptsGzip, visit.headers);
  } catch (error) {
    if (error === overloaded || asServiceError(error) !== error) throw error;
    return built(errorReply(asServiceError(error), facts.id), acceptsGzip, visit.headers);
  }
}

function send(message: PageMessage): void {
  const body = message.kind === 'built' ? message.reply.body : undefined;
  parentPort?.postMessage(message, body ? [body.buffer] : []);
}

let told = performance.eventLoopUtilization();

/** Returns how long this thread was busy since the last call of this function, ms. */
function takeBusyTime(): number {
  const now = performance.eventLoopUtilization();
  const ms = now.active - told.active;
  told = now;
  return ms;
}

setThreadPriority(NICE);
const { answers, cores, busy } = answersOf(setup);
parentPort?.on('message', (request: PageRequest | CoresUpdate) => {
  if ('cores' in request) {
    cores.update(request.cores);
    return;
  }
  pauses.startWork();
  const { id } = request;
  answer(answers, request).then(
    reply => send({ kind: 'built', id, reply, busyMs: takeBusyTime() }),
    error => {
      if (error === overloaded) send({ kind: 'overloaded', id });
      else send({ kind: 'failed', id, cause: error instanceof Error ? String(error.stack) : String(error) });
    },
  );
});
send({ kind: 'ready', busy: await built(busy, true, {}) });
