import type { ServerUnaryCall } from '@grpc/grpc-js';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';
import type { CreateWebhookRequest__Output } from '../../proto/generated/gsq/v1/CreateWebhookRequest.ts';
import type { WebhookServiceHandlers } from '../../proto/generated/gsq/v1/WebhookService.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Token } from '../access/token.ts';
import type { TokenService } from '../access/token-service.ts';
import { hiddenUrl } from '../webhooks/target-url.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { WebhookEngine } from '../webhooks/webhook-engine.ts';
import { type CheckedRequest, checkRequest, type RequestRules } from '../webhooks/webhook-request.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';
import type { Reader, ReaderAdmission, Readers } from './readers.ts';
import {
  attemptMessage,
  attemptObject,
  type ShownWebhook,
  webhookMessage,
  webhookObject,
} from './webhook-messages.ts';

/** Dependencies of `webhookService`. */
export interface WebhookServiceDependencies extends RequestRules {
  readers: Pick<Readers, 'admit'>;
  hooks: WebhookEngine;
  tokenService: Pick<TokenService, 'get'>;
}

/** The logic of WebhookService. The handlers of the typed methods and of the methods with JSON answers share it. */
class WebhookMethods {
  readonly #dependencies: WebhookServiceDependencies;

  constructor(dependencies: WebhookServiceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Admits a call. Rejects with ServiceError AUTH_1 if the caller has no token and is not an operator. */
  async admit(call: Call, account: CallAccount): Promise<ReaderAdmission> {
    const admission = await this.#dependencies.readers.admit(call);
    const { isStranger, tokenId } = admission.reader;
    if (isStranger) throw new ServiceError('AUTH_1', 'The API token is missing; send it as x-api-token.');
    account.tokenId = tokenId;
    return admission;
  }

  /**
   * Checks the registration of a webhook. Rejects with POST_2 if the registration is not valid, and with HOOK_2 if
   * there is no room for it. An operator must name a token: rejects with ADMIN_1 if the token is missing, unknown or
   * revoked.
   */
  async check({ tokenId }: Reader, request: CreateWebhookRequest__Output): Promise<Registration> {
    const { tokenService, hooks } = this.#dependencies;
    if (tokenId !== '' && request.tokenId !== '' && request.tokenId !== tokenId) throw wrongToken();
    if (tokenId === '' && request.tokenId === '')
      throw new ServiceError('ADMIN_1', 'token_id is missing; it names the token that will own the webhook');
    const token = tokenService.get(tokenId || request.tokenId);
    if (token.revokedAt !== 0) throw new ServiceError('ADMIN_1', `token "${token.id}" is revoked`);
    const checked = await checkRequest(request, this.#dependencies);
    hooks.webhooks.checkRoom(token);
    return { token, request: checked };
  }

  async create({ token, request }: Registration): Promise<Created> {
    const { webhook, secret } = await this.#dependencies.hooks.create(token, request);
    return { ...this.show(webhook), secret };
  }

  list({ tokenId }: Reader, wanted: string): ShownWebhook[] {
    const { webhooks } = this.#dependencies.hooks;
    return webhooks.list(tokenId === '' ? wanted : tokenId).map(webhook => this.show(webhook));
  }

  /** Returns the webhook with this id. Throws HOOK_1 if it does not exist, or if the caller may not see it. */
  find({ tokenId }: Reader, id: string): Webhook {
    const webhook = this.#dependencies.hooks.webhooks.get(id);
    if (webhook && (tokenId === '' || webhook.tokenId === tokenId)) return webhook;
    throw new ServiceError('HOOK_1', 'There is no such webhook; the list of your webhooks contains the ids.');
  }

  show(webhook: Webhook): ShownWebhook {
    const { webhooks, deliveries } = this.#dependencies.hooks;
    const url = hiddenUrl(webhooks.secretsOf(webhook.id).url);
    return { webhook, url, queued: deliveries.countOf(webhook.id) };
  }
}

/**
 * Returns a function that makes the typed and the JSON handler of an RPC method. `check` throws a ServiceError for an
 * invalid request, before the quota is charged. `work` carries out the request.
 */
function handlerMaker(methods: WebhookMethods, handlers: Handlers) {
  return <Request, Checked, Result, Typed>(
    check: (reader: Reader, request: Request) => Promise<Checked> | Checked,
    work: (reader: Reader, checked: Checked) => Promise<Result> | Result,
    typed: (result: Result) => Typed,
    json: (result: Result) => object,
  ) => {
    const answer = async (call: ServerUnaryCall<Request, unknown>, account: CallAccount): Promise<Result> => {
      const { reader, charge } = await methods.admit(call, account);
      const checked = await check(reader, call.request);
      charge();
      return work(reader, checked);
    };
    return {
      typed: handlers.unary<Request, Typed>(async (call, account) => typed(await answer(call, account))),
      json: handlers.unary<Request, HttpBody>(async (call, account) =>
        jsonBody(Buffer.from(JSON.stringify(json(await answer(call, account))))),
      ),
    };
  };
}

/** Creates the handlers of WebhookService. Each method has a typed form and a form with the JSON of the REST answer. */
export function webhookService(dependencies: WebhookServiceDependencies, handlers: Handlers) {
  const { hooks } = dependencies;
  const methods = new WebhookMethods(dependencies);
  const both = handlerMaker(methods, handlers);

  const create = both(
    (reader: Reader, request: CreateWebhookRequest__Output) => methods.check(reader, request),
    (_reader, checked) => methods.create(checked),
    ({ secret, ...shown }) => ({ webhook: webhookMessage(shown), secret }),
    ({ secret, ...shown }) => ({ webhook: webhookObject(shown), secret }),
  );
  const list = both(
    unchecked<{ tokenId: string }>,
    (reader, { tokenId }) => methods.list(reader, tokenId),
    found => ({ webhooks: found.map(webhookMessage) }),
    found => ({ webhooks: found.map(webhookObject) }),
  );
  const get = both(
    unchecked<Named>,
    (reader, { id }) => methods.show(methods.find(reader, id)),
    shown => ({ webhook: webhookMessage(shown) }),
    shown => ({ webhook: webhookObject(shown) }),
  );
  const remove = both(
    unchecked<Named>,
    (reader, { id }) => hooks.remove(methods.find(reader, id).id),
    () => ({}),
    () => ({}),
  );
  const test = both(
    unchecked<Named>,
    (reader, { id }) => hooks.test(methods.find(reader, id).id),
    deliveryId => ({ deliveryId }),
    deliveryId => ({ delivery_id: deliveryId }),
  );
  const log = both(
    unchecked<Named>,
    (reader, { id }) => hooks.attemptsOf(methods.find(reader, id).id),
    found => ({ attempts: found.map(attemptMessage) }),
    found => ({ attempts: found.map(attemptObject) }),
  );
  return {
    CreateWebhook: create.typed,
    CreateWebhookJson: create.json,
    ListWebhooks: list.typed,
    ListWebhooksJson: list.json,
    GetWebhook: get.typed,
    GetWebhookJson: get.json,
    DeleteWebhook: remove.typed,
    DeleteWebhookJson: remove.json,
    TestWebhook: test.typed,
    TestWebhookJson: test.json,
    ListDeliveries: log.typed,
    ListDeliveriesJson: log.json,
  } satisfies WebhookServiceHandlers;
}

interface Named {
  id: string;
}

/** The `check` function of a method whose requests are always valid. */
function unchecked<Request>(_reader: Reader, request: Request): Request {
  return request;
}

/** A valid registration of a webhook, and the token that will own the webhook. */
interface Registration {
  token: Token;
  request: CheckedRequest;
}

type Call = ServerUnaryCall<unknown, unknown>;
type Created = ShownWebhook & { secret: string };

function wrongToken(): ServiceError {
  const message = 'Only an operator sets token_id; leave it out.';
  return new ServiceError('POST_2', `token_id: ${message}`, { violations: [{ path: 'token_id', message }] });
}
