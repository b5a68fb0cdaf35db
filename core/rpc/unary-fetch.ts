import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { AddressGroup, FetchRequest } from '../../proto/generated/codec/fetch.ts';
import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';
import { RestAnswer } from '../render/rest-answer.ts';
import { fetchResponse } from '../render/server-results.ts';
import { TypedAnswer } from '../render/typed-answer.ts';
import { asText, countSpans, type FetchedPair } from '../servers/fetch-request.ts';
import type { RemoteAnswers } from '../servers/remote-answers.ts';
import { admitCall, allowanceMetadata, chargeFetch, countPairs } from './fetch-call.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';
import { LengthPrefixed } from './length-prefixed.ts';
import type { ServerServiceDependencies } from './server-dependencies.ts';

/** Builds the answers to fetches, in the format that one gRPC method returns. */
interface AnswerFormat<Answer> {
  /** True if answers are typed (protobuf messages), false if they are JSON. */
  typed: boolean;
  /**
   * Returns the answer to a fetch if all its servers can be found. Returns undefined if `answers` does not contain a
   * server that another core owns, or if `ServerFetch.fetch` must serve the fetch, for example to insert a server.
   * `answers`: the servers that other cores own, from `ServerFetch.askOwners`.
   */
  answerKnown(groups: readonly AddressGroup[], answers?: RemoteAnswers): Answer | undefined;
  /** Returns the answer for the result of `ServerFetch.fetch`. */
  answerPairs(pairs: readonly FetchedPair[]): Answer;
}

/** Creates the handler of a unary method that fetches servers and answers in the given format. */
export function unaryFetch<Answer>(
  { authenticator, fetch, proxied, trusted }: ServerServiceDependencies,
  handlers: Handlers,
  format: AnswerFormat<Answer>,
): handleUnaryCall<FetchRequest, Answer> {
  return handlers.unary(async (call: ServerUnaryCall<FetchRequest, Answer>, account) => {
    const { groups, waitMs } = call.request;
    const admission = await admitCall(authenticator, call, proxied, trusted);
    account.tokenId = admission.token.id;
    account.addresses = countSpans(groups);
    chargeFetch(admission, account.addresses);
    let known = format.answerKnown(groups);
    const answers = known ? undefined : fetch.askOwners(format.typed);
    if (answers) {
      await answers.received();
      known = format.answerKnown(groups, answers);
    }
    if (known) account.invalid = fetch.knownInvalid;
    const pairs = known ? [] : await fetch.fetch(asText(groups), admission.token.id, waitMs);
    countPairs(account, pairs);
    const left = allowanceMetadata(admission.allowances());
    if (left) call.sendMetadata(left);
    return known ?? format.answerPairs(pairs);
  });
}

/** Builds the answers of the RPC method FetchServers: encoded messages of the type FetchServersResponse. */
export function typedFormat({
  fetch,
  freshness,
  now,
}: ServerServiceDependencies): AnswerFormat<LengthPrefixed | Buffer> {
  // All fetches write their answers into this one buffer. The code that writes an answer contains no `await`, so two
  // answers cannot mix.
  const writer = new ByteWriter();
  return {
    typed: true,
    answerKnown(groups, answers) {
      LengthPrefixed.begin(writer);
      const answer = new TypedAnswer(writer, now(), freshness);
      if (!fetch.findKnown(groups, answer, answers)) return undefined;
      answer.end();
      return LengthPrefixed.take(writer);
    },
    answerPairs: pairs => gsqV1.FetchServersResponse.serialize(fetchResponse(pairs, now(), freshness)),
  };
}

/**
 * Builds the answers of the RPC method FetchServersJson: the JSON of REST answers. The JSON is not compressed, because
 * a REST-to-gRPC proxy (transcoder) compresses its answers itself.
 */
export function jsonFormat({ fetch, freshness, now }: ServerServiceDependencies): AnswerFormat<HttpBody> {
  const writer = new ByteWriter();
  return {
    typed: false,
    answerKnown(groups, answers) {
      writer.length = 0;
      const answer = new RestAnswer(writer, now(), freshness, undefined, fetch.plainFragments);
      if (!fetch.findKnown(groups, answer, answers)) return undefined;
      answer.end();
      return jsonBody(writer.takeBytes());
    },
    answerPairs(pairs) {
      writer.length = 0;
      new RestAnswer(writer, now(), freshness).pairs(pairs);
      return jsonBody(writer.takeBytes());
    },
  };
}
