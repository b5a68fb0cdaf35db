import type { Metadata } from '@grpc/grpc-js';
import { accountKeys, callerKeys, credentialKeys, internalMetadata } from '../../proto/clients.ts';
import type { Allowance, Caller } from '../../proto/generated/codec/fetch.ts';
import { callerOf, credentialsOf } from '../fetch/caller.ts';
import { addRateHeaders } from '../fetch/rate-headers.ts';
import type { Exchange } from '../http/exchange.ts';
import { traceparentOf } from '../http/request-origin.ts';

/** The data about a request that the gateway sends to the core. The credentials of the caller are not included. */
export interface CallSource {
  /** Id of the HTTP request. */
  id: string;
  caller: Caller;
  traceparent: string | undefined;
}

/**
 * Returns the metadata of a call to the core, without the credentials of the caller. It contains the internal secret,
 * the caller's address, the host of the caller's web page, and the request id and trace context.
 */
export function strangerMetadata({ id, caller, traceparent }: CallSource, secret: string): Metadata {
  const metadata = internalMetadata(secret);
  metadata.set(callerKeys.address, caller.address);
  metadata.set(callerKeys.domain, printable(caller.domain));
  metadata.set('x-request-id', id);
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  return metadata;
}

/**
 * Returns the metadata of a call to the core for an HTTP request: the caller's credentials, and all metadata that does
 * not depend on the credentials (see `strangerMetadata`).
 */
export function callMetadata({ request, id }: Exchange, secret: string, trustedProxies: number): Metadata {
  const caller = callerOf(request, trustedProxies);
  const metadata = strangerMetadata({ id, caller, traceparent: traceparentOf(request) }, secret);
  const { token, tier, email } = credentialsOf(request);
  metadata.set(credentialKeys.token, printable(token));
  metadata.set(credentialKeys.tier, printable(tier));
  metadata.set(credentialKeys.email, printable(email));
  return metadata;
}

/**
 * Replaces the characters that gRPC metadata cannot contain. No valid credential has such characters, so a wrong
 * credential stays wrong.
 */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/**
 * Reads the initial metadata of the core's reply. Sets the rate limit headers of the answer. Stores the id of the
 * caller's token for the log.
 */
export function readAccount(exchange: Exchange, metadata: Metadata): void {
  const tokenId = textOf(metadata, accountKeys.tokenId);
  if (tokenId !== '') exchange.account = { tokenId, addresses: 0, inserted: 0, invalid: 0 };
  addAllowances(exchange.headers, metadata);
}

/** Reads the rate limits in the initial metadata of the core's reply, and adds them to the headers of an answer. */
export function addAllowances(headers: Record<string, string>, metadata: Metadata): void {
  const allowances = textOf(metadata, accountKeys.allowance);
  if (allowances !== '') addRateHeaders(headers, allowances.split(', ').map(readAllowance));
}

function readAllowance(text: string): Allowance {
  const [policy = '', limit, remaining, windowSeconds, resetSeconds] = text.split(';');
  return {
    policy,
    limit: Number(limit),
    remaining: Number(remaining),
    windowSeconds: Number(windowSeconds),
    resetSeconds: Number(resetSeconds),
  };
}

/**
 * Returns the value of a metadata key. Returns an empty string if the key is absent. If the key has several values,
 * joins the values with commas.
 */
export function textOf(metadata: Metadata, key: string): string {
  return metadata.get(key).join(', ');
}
