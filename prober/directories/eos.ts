import { randomUUID } from 'node:crypto';
import type { Now } from '../../runtime/clock.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import { notListed, senseless, UnknowableError } from '../answers/unknowable-error.ts';
import { field, list, number, text, truth } from '../answers/untyped-values.ts';
import { type Directory, type DirectoryQuestion, onlyHost } from './directory.ts';
import type { DirectoryHost, Kept } from './directory-host.ts';
import { arrayOf, countOf, dotted, namedPlayers, readJson, statusOf, toldCounts } from './entry-values.ts';
import { type EosGame, eosGames } from './eos-games.ts';
import { LoadingCache } from './loading-cache.ts';

/**
 * Time for which fetched sessions are reused before they are fetched again, ms. Epic calls the entry of one game server
 * a session. One request fetches the sessions of all servers at an IP address.
 */
const FRESH_MS = 30_000;
const MAX_ADDRESSES = 1_000;
/** gsq replaces a token of Epic Online Services this number of milliseconds before the token expires. */
const MARGIN_MS = 60_000;
/**
 * Lifetime in ms that gsq assumes for a token of Epic Online Services if the reply with the token has no expiry time.
 */
const TOKEN_MS = 300_000;

/**
 * The part of a session that gsq stores. Epic calls the entry of one game server a session. A session has a hundred
 * attributes, so storing all of them would waste memory.
 */
interface Session {
  /**
   * Address and port to which the game server is bound. Empty if Epic's entry of the game server does not contain them.
   */
  bound: string;
  port: number | undefined;
  /** Status of the game server. Undefined if Epic's entry of the game server cannot be parsed. */
  status: RawStatus | undefined;
}

interface Token {
  text: string;
  lifeMs: number;
}

/**
 * The matchmaking API of Epic Online Services, which is the public server list of several games. Source:
 * <https://dev.epicgames.com/docs/web-api-ref> and `protocols/epic.js` of gamedig 5.3.3.
 */
export const eos: Directory = {
  name: 'eos',
  kind: 'look-up',
  protocols: [...eosGames.keys()],
  origins: ['https://api.epicgames.dev'],
  perMinute: 60,
  open(parts) {
    const host = onlyHost(parts);
    const sessions = new LoadingCache<Kept<Session[]>>({
      now: parts.now,
      keepMs: () => FRESH_MS,
      max: MAX_ADDRESSES,
    });
    const tokens = new EosTokens(host, parts.now);
    return async question => {
      const game = eosGames.get(question.protocol);
      if (!game) throw new RangeError(`${question.protocol} is no game of EOS`);
      const key = `${question.protocol} ${question.address}`;
      const { value } = await sessions.get(key, () => {
        host.claimReservation(key, question.protocol);
        return fetchSessions(host, tokens, question, game);
      });
      const session = findSession(value, question);
      if (!session) throw notListed('eos');
      if (!session.status) throw senseless('eos');
      return session.status;
    };
  },
};

/**
 * Fetches the sessions (entries) of all game servers at an IP address. If a cached token is refused, tries once more
 * with a new token.
 */
async function fetchSessions(
  host: DirectoryHost,
  tokens: EosTokens,
  { protocol, address }: DirectoryQuestion,
  game: EosGame,
): Promise<Kept<Session[]>> {
  const criteria = [{ key: 'attributes.ADDRESS_s', op: 'EQUAL', value: address }];
  for (;;) {
    const isOld = tokens.has(protocol);
    const token = await tokens.get(protocol, game);
    let expired = false;
    try {
      return await host.fetch({
        method: 'POST',
        path: `${game.wildcard ? '/wildcard' : ''}/matchmaking/v1/${game.deploymentId}/filter`,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ criteria }),
        realm: protocol,
        explain: status => {
          expired = isOld && status === 401;
          return expired ? new UnknowableError('directory-refused', 'the token expired') : undefined;
        },
        read: body => arrayOf(field(readJson(body), 'sessions')).map(session => keptSession(session, game)),
      });
    } catch (error) {
      if (!expired) throw error;
      tokens.forget(protocol);
    }
  }
}

/**
 * Cache of the OAuth tokens with which gsq reads the server lists of Epic Online Services, one for each game. A token
 * is reused until shortly before it expires.
 */
class EosTokens {
  readonly #host: DirectoryHost;
  readonly #tokens: LoadingCache<Kept<Token>>;

  constructor(host: DirectoryHost, now: Now) {
    this.#host = host;
    const keepMs = ({ value }: Kept<Token>) => value.lifeMs;
    this.#tokens = new LoadingCache({ now, keepMs, max: 2 * eosGames.size });
  }

  has(protocol: string): boolean {
    return this.#tokens.has(protocol);
  }

  forget(protocol: string): void {
    this.#tokens.forget(protocol);
    this.#tokens.forget(deviceKey(protocol));
  }

  async get(protocol: string, game: EosGame): Promise<string> {
    const { value } = await this.#tokens.get(protocol, async () => {
      const grant = game.byDevice
        ? await this.#grantOfDevice(protocol, game)
        : { grant_type: 'client_credentials' };
      return this.#fetch(protocol, game, '/auth/v1/oauth/token', {
        ...grant,
        deployment_id: game.deploymentId,
      });
    });
    return value.text;
  }

  /**
   * Registers gsq as a device (a PC) and returns the form fields for a token request. Needed for games whose tokens
   * Epic gives only to registered devices.
   */
  async #grantOfDevice(protocol: string, game: EosGame): Promise<Record<string, string>> {
    const { value } = await this.#tokens.get(deviceKey(protocol), () =>
      this.#fetch(protocol, game, '/auth/v1/accounts/deviceid', { deviceModel: 'PC' }),
    );
    return {
      grant_type: 'external_auth',
      external_auth_type: 'deviceid_access_token',
      external_auth_token: value.text,
      nonce: randomUUID(),
      display_name: 'User',
    };
  }

  #fetch(realm: string, game: EosGame, path: string, form: Record<string, string>): Promise<Kept<Token>> {
    const basic = Buffer.from(`${game.clientId}:${game.clientSecret}`).toString('base64');
    return this.#host.fetch({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
      body: new URLSearchParams(form).toString(),
      realm,
      read: readToken,
    });
  }
}

function deviceKey(protocol: string): string {
  return `device of ${protocol}`;
}

function readToken(body: Buffer): Token {
  const reply = readJson(body);
  const token = field(reply, 'access_token');
  // Rejects an OAuth token with characters that are not safe in an HTTP header.
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token)) throw new TypeError('not a token');
  const seconds = number(field(reply, 'expires_in'));
  return { text: token, lifeMs: seconds === undefined ? TOKEN_MS : Math.max(0, seconds * 1000 - MARGIN_MS) };
}

function keptSession(session: unknown, game: EosGame): Session {
  const attributes = field(session, 'attributes');
  return {
    bound: text(attributes, 'ADDRESSBOUND_s'),
    port: number(field(attributes, 'GAMESERVER_PORT_l')),
    status: statusOf(() => readSession(session, game)),
  };
}

function findSession(
  sessions: readonly Session[],
  { address, ports }: DirectoryQuestion,
): Session | undefined {
  for (const asked of ports) {
    const bounds = [`0.0.0.0:${asked}`, `${address}:${asked}`];
    const found = sessions.find(({ bound, port }) => bounds.includes(bound) || port === asked);
    if (found) return found;
  }
  return undefined;
}

function readSession(session: unknown, game: EosGame): RawStatus {
  const attributes = field(session, 'attributes');
  const names = list(session, 'publicPlayers').map(player => field(player, 'name'));
  return {
    name: text(attributes, game.name),
    map: text(attributes, game.map),
    password: truth(field(attributes, game.password)),
    ...toldCounts(countOf(session, 'totalPlayers'), countOf(field(session, 'settings'), 'maxPublicPlayers')),
    version: dotted(...game.version.map(key => field(attributes, key))),
    playerList: namedPlayers(names.filter(name => typeof name === 'string' && name !== '')),
  };
}
