import {
  type ServiceError as CallError,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import {
  accountKeys,
  callerKeys,
  credentialKeys,
  hasCredentials,
  internalMetadata,
  operatorKeys,
  PASSED_ON_KEY,
} from '../../proto/clients.ts';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import { fromGrpcStatus, ServiceError } from '../../proto/service-error.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { Peers } from '../cluster/peers.ts';
import { REQUEST_ID_KEY, requestIdOf, TRACEPARENT_KEY } from './call-origin.ts';
import { allowanceMetadata, credentialsOf, isForCaller } from './fetch-call.ts';
import type { Handlers } from './handler.ts';
import { peerAddress } from './peer-address.ts';
import { replyMetadata } from './reply-metadata.ts';
import { writeAndWait } from './stream-writer.ts';

/** What a core of a cluster needs to call the lead (the core that writes the tokens and webhooks). */
export interface LeadAccess {
  ownership: Pick<Ownership, 'self' | 'lead' | 'refresh'>;
  peers: Pick<Peers, 'client'>;
  /** True if this core is the lead of the cluster, and has loaded the accounts (tokens and their usage). */
  isLead(): boolean;
  /** The shared secret of the internal ports. */
  secret: string;
}

/**
 * The port on which a call arrived. `trusted`: true for the internal port, whose calls can name the caller. `proxied`:
 * true if callers can connect through a proxy.
 */
export interface PassingPort {
  trusted: boolean;
  proxied: boolean;
}

interface PassedCall {
  metadata: Metadata;
  getPeer(): string;
}

type Method = MethodDefinition<object, object>;

/**
 * Keys of the call metadata that this core passes on to the lead core. `PASSED`: keys passed on for every call.
 * `PASSED_IF_TRUSTED`: keys passed on only for calls on the internal port.
 */
const PASSED = [...Object.values(credentialKeys), REQUEST_ID_KEY, TRACEPARENT_KEY];
const PASSED_IF_TRUSTED = [...Object.values(callerKeys), ...Object.values(operatorKeys)];
/**
 * Codes of errors with which a core refuses a call before it does any work. A reply with such an error does not contain
 * the remaining quota.
 */
const REFUSALS: ReadonlySet<string> = new Set(['AUTH_4', 'QUOTA_1', 'RATE_1']);

/**
 * Passes calls about tokens and webhooks on to the lead (the core that writes them), and returns the lead's answers.
 * Both cores write the call to the audit log. The lead's line is not enough, because only this core sees the
 * certificate of the operator.
 */
export class LeadProxy {
  readonly #lead: LeadAccess | undefined;
  readonly #port: PassingPort;
  readonly #handlers: Handlers;

  /** `lead`: access to the lead of the cluster. Undefined without a cluster: this core serves all calls itself. */
  constructor(lead: LeadAccess | undefined, port: PassingPort, handlers: Handlers) {
    this.#lead = lead;
    this.#port = port;
    this.#handlers = handlers;
  }

  /**
   * Returns handlers that pass calls on to the lead core. The lead core itself, and a core without a cluster, serve the
   * calls with the handlers `own`. `methods`: names of the methods to pass on (default: all). Methods with a request
   * stream are not supported.
   */
  passOn<Implementation extends UntypedServiceImplementation>(
    definition: ServiceDefinition,
    own: Implementation,
    methods: readonly string[] = Object.keys(definition),
  ): Implementation {
    const lead = this.#lead;
    if (!lead) return own;
    const passed = Object.entries(definition)
      .filter(([name]) => methods.includes(name))
      .map(([name, method]) => [name, this.#handler(lead, method, own[name])]);
    return { ...own, ...Object.fromEntries(passed) };
  }

  #handler(lead: LeadAccess, method: Method, own: unknown): unknown {
    if (method.responseStream) {
      const serve = own as handleServerStreamingCall<object, object>;
      const pass = this.#stream(lead, method);
      return (call => (lead.isLead() ? serve : pass)(call)) satisfies typeof serve;
    }
    const serve = own as handleUnaryCall<object, object>;
    const pass = this.#unary(lead, method);
    return ((call, done) => (lead.isLead() ? serve : pass)(call, done)) satisfies typeof serve;
  }

  #unary(lead: LeadAccess, method: Method): handleUnaryCall<object, object> {
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#handlers.unary((call, account) => {
      const { client, metadata } = this.#open(lead, call);
      const deadline = call.getDeadline();
      return new Promise<object>((resolve, reject) => {
        let initial: Metadata | undefined;
        const passed = client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          call.request,
          metadata,
          { deadline },
          (error, answer) => {
            const failure = error ? this.#failure(lead, error) : undefined;
            if (initial) this.#addAccount(call, initial, failure, account);
            if (answer) resolve(answer);
            else reject(failure);
          },
        );
        passed.on('metadata', received => {
          initial = received;
        });
        call.once('cancelled', () => passed.cancel());
      });
    });
  }

  #stream(lead: LeadAccess, method: Method): handleServerStreamingCall<object, object> {
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#handlers.serverStream(async call => {
      const { client, metadata } = this.#open(lead, call);
      const passed = client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        call.request,
        metadata,
        { deadline: call.getDeadline() },
      );
      call.once('cancelled', () => passed.cancel());
      try {
        for await (const message of passed) await writeAndWait(call, message);
      } catch (error) {
        throw this.#failure(lead, error as CallError);
      }
    });
  }

  /**
   * Returns the client for calls to the lead core, and the metadata to send. Throws CORE_1 if this core knows no other
   * core as the lead. Also throws CORE_1 if the call comes from another core that passed it on, because a call is
   * passed on only once.
   */
  #open({ ownership, peers, secret }: LeadAccess, call: PassedCall) {
    const { lead, self } = ownership;
    const isPassedOn = this.#port.trusted && call.metadata.get(PASSED_ON_KEY).length > 0;
    if (!lead || lead.id === self.id || isPassedOn) {
      ownership.refresh();
      throw noLead();
    }
    return { client: peers.client(lead), metadata: this.#metadataOf(call, secret) };
  }

  #metadataOf(call: PassedCall, secret: string): Metadata {
    const { trusted, proxied } = this.#port;
    const metadata = internalMetadata(secret);
    // Gives the call a request id if it has none. This core and the lead core then log it with the same id.
    requestIdOf(call.metadata);
    for (const key of trusted ? [...PASSED, ...PASSED_IF_TRUSTED] : PASSED)
      for (const value of call.metadata.get(key)) metadata.add(key, value);
    metadata.set(PASSED_ON_KEY, '1');
    const isOfOperator = trusted && !hasCredentials(credentialsOf(call.metadata));
    if (isOfOperator || (trusted && isForCaller(call.metadata))) return metadata;
    const address = peerAddress(call);
    // An empty address means that the caller has hung up. Such a call is not passed on: without an address, the lead
    // core could mistake it for a call of the operator.
    if (address === '') throw noLead();
    metadata.set(callerKeys.address, address);
    if (proxied) metadata.set(callerKeys.proxied, '1');
    return metadata;
  }

  /**
   * Adds data about the caller's token, such as its remaining quota, to the initial metadata of the reply. The data
   * comes from the answer of the lead, the core to which this call was passed on.
   */
  #addAccount(
    call: object,
    initial: Metadata,
    failure: ServiceError | undefined,
    account: CallAccount,
  ): void {
    account.tokenId = String(initial.get(accountKeys.tokenId)[0] ?? '');
    const reply = replyMetadata(call);
    // The lead core sends the key `accountKeys.allowance` once for each rate limit, and Node joins the values with
    // commas. Therefore splits the joined text again.
    const allowances = initial.get(accountKeys.allowance).join(', ').split(', ');
    if (this.#port.trusted) {
      for (const key of Object.values(accountKeys))
        for (const value of initial.get(key)) reply.add(key, value);
    } else if (!failure || !REFUSALS.has(failure.code)) {
      const left = allowanceMetadata(allowances.map(readAllowance));
      if (left) reply.merge(left);
    }
  }

  /**
   * Returns the error that the caller gets if a call to the lead core has failed. An error of the lead core has a code
   * of gsq, such as AUTH_4, and the caller gets it unchanged. Any other error comes from the connection to the lead
   * core, so the caller gets CORE_1 or CORE_2.
   */
  #failure({ ownership }: LeadAccess, error: CallError): ServiceError {
    const known = fromGrpcStatus(error);
    if (known?.code === 'CORE_1' || error.code === status.UNAVAILABLE) ownership.refresh();
    if (known) return known;
    return error.code === status.DEADLINE_EXCEEDED
      ? new ServiceError('CORE_2', 'The call had no answer before its deadline; try again.')
      : noLead();
  }
}

function noLead(): ServiceError {
  return new ServiceError(
    'CORE_1',
    'The core that owns the tokens and webhooks cannot be reached; try again.',
    {
      retryAfterSeconds: 1,
    },
  );
}

/** Decodes an allowance (the remaining quota of a token) from the text of the metadata key `accountKeys.allowance`. */
function readAllowance(text: string) {
  const [policy, ...numbers] = text.split(';');
  const [limit = 0, remaining = 0, windowSeconds = 0, resetSeconds = 0] = numbers.map(Number);
  return {
    policy: policy === 'day' ? ('day' as const) : ('burst' as const),
    limit,
    remaining,
    windowSeconds,
    resetSeconds,
  };
}
