import { parseAddress } from '../../net/address.ts';
import type { AddServersRequest__Output } from '../../proto/generated/gsq/v1/AddServersRequest.ts';
import type { AddServersResponse } from '../../proto/generated/gsq/v1/AddServersResponse.ts';
import type { ListPubliclyRequest__Output } from '../../proto/generated/gsq/v1/ListPubliclyRequest.ts';
import type { ListPubliclyResponse } from '../../proto/generated/gsq/v1/ListPubliclyResponse.ts';
import type { RemoveServersRequest__Output } from '../../proto/generated/gsq/v1/RemoveServersRequest.ts';
import type { RemoveServersResponse } from '../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import type { ServerGroup__Output } from '../../proto/generated/gsq/v1/ServerGroup.ts';
import type { Token } from '../../proto/generated/gsq/v1/Token.ts';
import type { Webhook } from '../../proto/generated/gsq/v1/Webhook.ts';
import { TOKEN_ID } from '../access/token.ts';
import { HOOK_ID } from '../webhooks/webhook.ts';

/**
 * What an administrative call changed, such as a token or servers, as fields of its line in the audit log. Contains no
 * secret and no e-mail address.
 */
export type ActObject = Readonly<Record<string, unknown>>;

/**
 * Function that describes what an administrative call changed, such as a token or servers. The audit log contains this
 * description. `request`: the request; the core has not checked its values. `answer`: the response; undefined if the
 * call failed.
 */
type Describe<Request, Answer> = (request: Request, answer: Answer | undefined) => ActObject;

/** Maximum number of servers, or of entries of any other list, in one line of the audit log. */
const MAX_NAMED = 20;
const GAME_ID = /^[a-z0-9]{1,64}$/;
const OPTION_NAME = /^[a-z_]{1,32}$/;

/** An operator can send a secret in place of an id by mistake. Therefore only a well-formed id is logged. */
const idOf = (id: string): string => (TOKEN_ID.test(id) ? id : 'malformed');

/**
 * Returns those properties of a token that an administrative call can change, for the audit log. Leaves out the e-mail
 * address.
 */
function tokenObject({ id, tier, allowIps, allowDomains, expiresAt }: Token): ActObject {
  const seconds = expiresAt && 'seconds' in expiresAt ? Number(expiresAt.seconds) : undefined;
  return {
    token_id: id,
    tier,
    allow_ips: allowIps?.slice(0, MAX_NAMED),
    allow_domains: allowDomains?.slice(0, MAX_NAMED),
    // Uses toJSON, because the expiry time can be outside the range of Date. For such a time, toJSON returns null, but
    // toISOString would throw an error.
    expires_at: seconds === undefined ? null : new Date(seconds * 1000).toJSON(),
  };
}

function serversObject(groups: readonly ServerGroup__Output[]): ActObject {
  const servers: string[] = [];
  let addresses = 0;
  for (const group of groups) {
    addresses += group.servers.length;
    for (const server of group.servers.slice(0, MAX_NAMED - servers.length)) {
      const address = parseAddress(server);
      const game = GAME_ID.test(group.gameId) ? group.gameId : 'malformed';
      servers.push(`${game} ${address.kind === 'malformed' ? 'malformed' : address.canonical}`);
    }
  }
  return { addresses, servers };
}

const createToken: Describe<unknown, { token?: Token | null }> = (_request, answer) =>
  answer?.token ? tokenObject(answer.token) : {};

const changeToken: Describe<{ id: string }, { token?: Token | null }> = ({ id }, answer) =>
  answer?.token ? tokenObject(answer.token) : { token_id: idOf(id) };

const addServers: Describe<AddServersRequest__Output, AddServersResponse> = (
  { servers, access },
  answer,
) => ({
  ...serversObject(servers),
  inserted: answer?.meta?.autoInserted,
  invalid: answer?.meta?.invalidServers?.length,
  ...(access && {
    secret: access.clearSecret ? 'removed' : access.secret === '' ? 'unchanged' : 'set',
    options: access.options
      .slice(0, MAX_NAMED)
      .map(({ name }) => (OPTION_NAME.test(name) ? name : 'malformed')),
  }),
});

const removeServers: Describe<RemoveServersRequest__Output, RemoveServersResponse> = (
  { servers },
  answer,
) => ({
  ...serversObject(servers),
  removed: answer?.removed?.length,
});

const listPublicly: Describe<ListPubliclyRequest__Output, ListPubliclyResponse> = (
  { servers, isPublic },
  answer,
) => ({
  ...serversObject(servers),
  is_public: isPublic,
  tracked: answer?.tracked?.length,
});

/**
 * The methods of AdminService that get a line in the audit log: those that change data, and Backup. The function of
 * each method returns the content of the line, for example which token changed.
 */
export const acts = {
  CreateToken: createToken,
  RevokeToken: changeToken,
  RotateToken: changeToken,
  AllowToken: changeToken,
  ExpireToken: changeToken,
  AddServers: addServers,
  ListPublicly: listPublicly,
  RemoveServers: removeServers,
  Backup: () => ({}),
} as const;

const hookObject: Describe<unknown, { webhook?: Webhook | null }> = (_request, answer) =>
  answer?.webhook ? { webhook_id: answer.webhook.id, token_id: answer.webhook.tokenId } : {};

const hookId: Describe<{ id: string }, unknown> = ({ id }) => ({
  webhook_id: HOOK_ID.test(id) ? id : 'malformed',
});

/**
 * The methods of WebhookService that change data. Each such call of an operator gets a line in the audit log. Calls
 * with the credentials of a token get no line.
 */
export const webhookActs = {
  CreateWebhook: hookObject,
  CreateWebhookJson: ({ tokenId }: { tokenId: string }): ActObject => ({ token_id: idOf(tokenId) }),
  DeleteWebhook: hookId,
  DeleteWebhookJson: hookId,
  TestWebhook: hookId,
  TestWebhookJson: hookId,
} as const;

/** The methods of AdminService that only read. Their calls get no line in the audit log. */
export const reads = ['ListTokens', 'GetToken', 'ListServers', 'GetStats', 'CheckServers'] as const;
