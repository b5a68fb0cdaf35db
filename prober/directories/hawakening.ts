import { isAboutCredentials, UnknowableError } from '../answers/unknowable-error.ts';
import { field, text, truth } from '../answers/untyped-values.ts';
import { type Directory, type DirectoryQuestion, idKey, onlyHost } from './directory.ts';
import type { DirectoryHost, Kept } from './directory-host.ts';
import { arrayOf, countOf, fieldOf, lengthOf, readJson, toldCounts } from './entry-values.ts';
import { LoadingCache } from './loading-cache.ts';
import { type ListSource, ServerList } from './server-list.ts';

/**
 * Assumed lifetime of a login token of Hawakening, ms. Hawakening does not report the real lifetime. If it refuses a
 * token earlier, gsq logs in again.
 */
const TOKEN_MS = 3_600_000;
/**
 * After Hawakening has refused a password, gsq does not try this password again for this time, ms. If gsq tried it
 * often, Hawakening could lock the account.
 */
const REFUSED_MS = 3_600_000;
const MAX_ACCOUNTS = 1_000;

/**
 * The public server list of the game Hawakening. The list is the same for every account. gsq does not request the
 * addresses of servers, because this would reserve a place in a match. Source: `protocols/hawakeningmaster.js` of
 * gamedig 5.3.3.
 */
export const hawakening: Directory = {
  name: 'hawakening',
  kind: 'list',
  protocols: ['hawakening'],
  origins: ['https://hawakening.com'],
  // The Hawakening service gets at most six requests a minute. At most one of them fetches the server list. The others
  // are for log-ins of accounts.
  perMinute: 6,
  open(parts) {
    const host = onlyHost(parts);
    const servers = new ServerList('hawakening', host, SERVERS, parts.now);
    const tokens = new LoadingCache<Kept<string>>({
      now: parts.now,
      keepMs: () => TOKEN_MS,
      keepFailureMs: error => (isAboutCredentials(error) ? REFUSED_MS : 0),
      max: MAX_ACCOUNTS,
    });
    return async question => {
      const { server, username, secret } = wanted(question);
      // Key of an account's login token in the cache: user name, colon, secret. User names contain no colon, so two
      // accounts never have the same key.
      const account = `${username}:${secret}`;
      const logIn = () =>
        // If the operator set no user name for the Hawakening account, the secret is the login token itself.
        tokens.get(account, async () => (username ? fetchToken(host, username, secret) : { value: secret }));
      for (;;) {
        const mayBeOld = username !== '' && tokens.has(account);
        const { value: token } = await logIn();
        try {
          return await servers.find([idKey(server)], {
            account,
            headers: { authorization: `Basic ${token}` },
            explain: refusalOfToken,
          });
        } catch (error) {
          if (!isAboutCredentials(error)) throw error;
          tokens.forget(account);
          if (mayBeOld) continue;
          // Hawakening refused a login token that it had just issued, or that the operator had set. For an hour
          // (REFUSED_MS), the cache `tokens` returns this error, so gsq does not try this account again.
          await tokens.get(account, () => Promise.reject(error));
          throw error;
        }
      }
    };
  },
};

function wanted({ options, secret }: DirectoryQuestion): {
  server: string;
  username: string;
  secret: string;
} {
  const server = options.get('server_id') ?? '';
  if (!server)
    throw new UnknowableError('needs-option', 'the option server_id must hold the Guid of the server');
  if (!secret) {
    throw new UnknowableError(
      'needs-credentials',
      'a token is needed as secret, or a password with the option username',
    );
  }
  return { server, username: options.get('username') ?? '', secret };
}

function fetchToken(host: DirectoryHost, username: string, password: string): Promise<Kept<string>> {
  return host.fetch({
    method: 'POST',
    path: `/api/users/${encodeURIComponent(username)}/accessGrant`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Password: password }),
    explain: refusalOfPassword,
    read: body => {
      const token = resultOf(body);
      // Rejects a login token with characters that are not safe in an HTTP header.
      if (typeof token !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(token))
        throw new TypeError('not a token');
      return token;
    },
  });
}

/**
 * Returns the property `Result` of the JSON in a reply of the Hawakening service. Throws if the property `Status` of
 * this JSON is not 200.
 */
function resultOf(body: Buffer): unknown {
  const reply = readJson(body);
  const status = countOf(reply, 'Status') ?? 0;
  if ([401, 403, 404].includes(status)) throw refusal(status);
  if (status !== 200) throw new TypeError('no success');
  return field(reply, 'Result');
}

function refusalOfToken(status: number): UnknowableError | undefined {
  return status === 401 ? refusal(status) : undefined;
}

/**
 * Returns an error if a log-in failed because the user or the password is wrong. For an unknown user, the property
 * `Status` in the body is 404, like the HTTP status. A 404 with any other body does not count, because it can come
 * from a proxy.
 */
function refusalOfPassword(status: number, body: Buffer): UnknowableError | undefined {
  const isAboutUser = status === 401 || (status === 404 && fieldOf(body, 'Status') === 404);
  return isAboutUser ? refusal(status) : undefined;
}

function refusal(status: number): UnknowableError {
  return new UnknowableError('needs-credentials', `the account is refused: status ${status}`);
}

const SERVERS: ListSource = {
  path: '/api/gameServerListings',
  *entries(body) {
    for (const entry of arrayOf(resultOf(body))) {
      const guid = text(entry, 'Guid');
      if (guid) yield [idKey(guid), entry];
    }
  },
  read: entry => ({
    name: text(entry, 'ServerName'),
    map: text(entry, 'Map'),
    password: truth(field(field(entry, 'DeveloperData'), 'PasswordHash')),
    ...toldCounts(lengthOf(entry, 'Users'), countOf(entry, 'MaxUsers')),
    version: text(entry, 'GameVersion'),
  }),
};
