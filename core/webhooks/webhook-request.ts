import { parseAddress } from '../../net/address.ts';
import type { TargetPolicy } from '../../net/targets.ts';
import { type FieldViolation, ServiceError } from '../../proto/service-error.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FeedSource } from '../feed/feed-source.ts';
import { serverKey } from '../servers/server-record.ts';
import { parseDuration } from './duration.ts';
import { checkTargetUrl } from './target-url.ts';
import { type HookCondition, type HookForm, hookEvents, hookForms, type Webhook } from './webhook.ts';

/** A request to register a webhook, whose values are not checked yet. */
export interface WebhookRequest {
  url: string;
  servers: readonly { gameId: string; servers: readonly string[] }[];
  game: string;
  events: readonly { event: string; players: number; for: string }[];
  cooldown: string;
  form: string;
  oneMessage: boolean;
}

/** The properties of a new webhook that come from the request of the caller. */
export type CheckedRequest = Pick<
  Webhook,
  'servers' | 'game' | 'conditions' | 'cooldownMs' | 'form' | 'oneMessage'
> & { url: string };

/** Settings and data that `checkRequest` needs to check a request to register a webhook. */
export interface RequestRules {
  policy: TargetPolicy;
  catalog: Catalog;
  source: Pick<FeedSource, 'lookUp'>;
}

/** Maximum number of servers that a webhook can follow. */
const MAX_SERVERS = 1_000;
/** Maximum number of servers that a webhook can follow if it keeps one Discord message per server. */
const MAX_MESSAGES = 50;
const MAX_EVENTS = 20;
const MAX_SPAN_MS = 86_400_000;
const DEFAULT_COOLDOWN = '1m';
const MAX_VIOLATIONS = 20;

/**
 * Checks a request to register a webhook. Rejects with ServiceError: POST_2 with the path and fault of each wrong
 * field, or CORE_1 if another core that owns a server does not answer.
 */
export async function checkRequest(request: WebhookRequest, rules: RequestRules): Promise<CheckedRequest> {
  const violations: FieldViolation[] = [];
  const refuse = (path: string, message: string): void => void violations.push({ path, message });
  const target = checkTargetUrl(request.url, rules.policy);
  if (typeof target === 'string') refuse('url', target);
  const form = hookForms.find(each => each === (request.form || 'json'));
  if (form === undefined) refuse('form', 'The form must be json or discord.');
  if (request.oneMessage && form !== 'discord')
    refuse('one_message', 'Only the form discord has one_message.');
  const cooldownMs = spanOf(request.cooldown || DEFAULT_COOLDOWN, 'cooldown', refuse);
  const conditions = checkEvents(request, refuse);
  const game = checkGame(request, rules.catalog, refuse);
  const servers = await checkServers(request, rules, refuse);
  if (violations.length > 0) {
    const shown = violations.slice(0, MAX_VIOLATIONS);
    const first = shown[0] ?? { path: '', message: '' };
    throw new ServiceError('POST_2', `${first.path}: ${first.message}`, { violations: shown });
  }
  const url = typeof target === 'string' ? '' : target.url;
  return {
    url,
    form: form as HookForm,
    oneMessage: request.oneMessage,
    cooldownMs,
    conditions,
    game,
    servers,
  };
}

type Refuse = (path: string, message: string) => void;

function spanOf(text: string, path: string, refuse: Refuse): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= MAX_SPAN_MS) return ms;
  refuse(path, 'This must be a duration of at most 24h, such as 90s, 3m or 1h.');
  return 0;
}

function checkEvents({ events, oneMessage }: WebhookRequest, refuse: Refuse): HookCondition[] {
  if (events.length === 0 && !oneMessage) refuse('events', 'At least one event is needed.');
  if (events.length > MAX_EVENTS) refuse('events', `At most ${MAX_EVENTS} events are allowed.`);
  const seen = new Set<string>();
  return events.slice(0, MAX_EVENTS).flatMap(({ event: name, players, for: span }, i): HookCondition[] => {
    const path = `events[${i}]`;
    const event = hookEvents.find(each => each === name);
    if (event === undefined) {
      refuse(`${path}.event`, `The event must be one of ${hookEvents.join(', ')}.`);
      return [];
    }
    if (event !== 'players_over' && players !== 0)
      refuse(`${path}.players`, 'Only players_over has players.');
    if (event === 'map' && span !== '') refuse(`${path}.for`, 'A change of the map has no duration.');
    const forMs = span === '' ? 0 : spanOf(span, `${path}.for`, refuse);
    const name2 = `${event} ${players}`;
    if (seen.has(name2)) refuse(path, 'The same event is listed twice.');
    seen.add(name2);
    return [{ event, players, forMs }];
  });
}

function checkGame({ game, servers, oneMessage }: WebhookRequest, catalog: Catalog, refuse: Refuse): string {
  if ((game === '') === (servers.length === 0)) refuse('servers', 'Name either servers or a game.');
  if (game === '') return '';
  if (oneMessage) refuse('game', 'one_message needs single servers.');
  const found = catalog.current().find(game);
  if (!found) refuse('game', 'No game of the catalog has this id; the list of games contains the ids.');
  return found?.id ?? '';
}

async function checkServers(
  { servers, oneMessage }: WebhookRequest,
  { catalog, source }: RequestRules,
  refuse: Refuse,
): Promise<string[]> {
  const most = oneMessage ? MAX_MESSAGES : MAX_SERVERS;
  const count = servers.reduce((sum, group) => sum + group.servers.length, 0);
  if (count > most) {
    refuse('servers', `There are ${count} servers; at most ${most} are allowed.`);
    return [];
  }
  if (servers.length > 0 && count === 0) refuse('servers', 'At least one server is needed.');
  /**
   * The valid servers and the faults of the request, in its order. `key`: the `serverKey` of a valid server. `fault`:
   * what is wrong with a server or with the game of a group.
   */
  const named: { path: string; key?: string; fault?: string }[] = [];
  const games = catalog.current();
  for (const [i, group] of servers.entries()) {
    const game = games.find(group.gameId);
    if (!game) named.push({ path: `servers[${i}].game_id`, fault: 'No game of the catalog has this id.' });
    for (const [j, text] of group.servers.entries()) {
      const path = `servers[${i}].servers[${j}]`;
      const address = parseAddress(text);
      if (address.kind === 'malformed') named.push({ path, fault: `The address ${address.message}.` });
      else if (game) named.push({ path, key: serverKey(game.id, address.canonical) });
    }
  }
  const recordOf = await source.lookUp(named.flatMap(({ key }) => key ?? []));
  const keys = new Set<string>();
  for (const { path, key, fault } of named) {
    if (key === undefined) refuse(path, fault ?? '');
    else if (recordOf(key)) keys.add(key);
    else refuse(path, 'This server is not tracked; fetch it once, then register the webhook.');
  }
  return [...keys];
}
