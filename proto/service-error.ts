import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { googleRpc } from './descriptors.ts';
import type { Status__Output } from './generated/google/rpc/Status.ts';
import { isReasonCode, type ReasonCode, reasons } from './reasons.ts';

/** One fault in a request: its position and its description. */
export interface FieldViolation {
  /** JSON path of the faulty value in the request, such as `servers[0].game_id`. */
  path: string;
  message: string;
}

export interface ServiceErrorDetails {
  violations?: FieldViolation[];
  /** Number of seconds after which the failed call can succeed if the caller repeats it. */
  retryAfterSeconds?: number;
  /** Data about the error for client programs, keyed by name. For example, an exceeded quota has `quota` and `used`. */
  facts?: Record<string, string>;
  /**
   * Owner of the quota or rate limit that is used up: `token:` and the id of a token, or `clientip:` and an IP address.
   */
  quotaSubject?: string;
}

/**
 * An error for the caller. Its code is a key of `reasons`. Its message describes the fault, where the fault is, and how
 * to correct it.
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ReasonCode;
  readonly details: ServiceErrorDetails;

  constructor(code: ReasonCode, message: string, details: ServiceErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/**
 * The `domain` of every google.rpc.ErrorInfo that gsq sends: the name of the API that defines the reason codes. A
 * reason code is unique only within its domain.
 */
export const ERROR_DOMAIN = 'gsq.v1';

const TYPE_PREFIX = 'type.googleapis.com/';
/** Key of the gRPC metadata that contains the google.rpc.Status of a failed call. */
export const DETAILS_KEY = 'grpc-status-details-bin';

function packed(type: string, value: Buffer): { type_url: string; value: Buffer } {
  return { type_url: `${TYPE_PREFIX}${type}`, value };
}

/**
 * Converts an error to a google.rpc.Status (AIP-193) with an ErrorInfo. Adds BadRequest, QuotaFailure, RetryInfo and
 * RequestInfo if their data is known. `requestId`: id of the failed call, else empty.
 */
export function toRpcStatus(error: ServiceError, requestId = ''): Status__Output {
  const { violations, retryAfterSeconds, facts, quotaSubject } = error.details;
  const info = { reason: error.code, domain: ERROR_DOMAIN, metadata: facts ?? {} };
  const details = [packed('google.rpc.ErrorInfo', googleRpc.ErrorInfo.serialize(info))];
  if (violations) {
    const fieldViolations = violations.map(({ path, message }) => ({ field: path, description: message }));
    details.push(packed('google.rpc.BadRequest', googleRpc.BadRequest.serialize({ fieldViolations })));
  }
  if (quotaSubject !== undefined) {
    const quotaViolations = [{ subject: quotaSubject, description: error.message }];
    details.push(
      packed('google.rpc.QuotaFailure', googleRpc.QuotaFailure.serialize({ violations: quotaViolations })),
    );
  }
  if (retryAfterSeconds !== undefined) {
    const retryDelay = { seconds: retryAfterSeconds, nanos: 0 };
    details.push(packed('google.rpc.RetryInfo', googleRpc.RetryInfo.serialize({ retryDelay })));
  }
  if (requestId !== '') {
    details.push(packed('google.rpc.RequestInfo', googleRpc.RequestInfo.serialize({ requestId })));
  }
  return { code: reasons[error.code].grpc, message: error.message, details };
}

/**
 * Converts a google.rpc.Status to a ServiceError. If the status contains no error code of gsq, the error has the code
 * INTERNAL_1.
 */
export function fromRpcStatus(status: Status__Output): ServiceError {
  let code: ReasonCode | undefined;
  const details: ServiceErrorDetails = {};
  for (const { type_url: url, value } of status.details) {
    if (url === `${TYPE_PREFIX}google.rpc.ErrorInfo`) {
      const info = googleRpc.ErrorInfo.deserialize(value);
      if (isReasonCode(info.reason)) code = info.reason;
      if (Object.keys(info.metadata).length > 0) details.facts = info.metadata;
    } else if (url === `${TYPE_PREFIX}google.rpc.BadRequest`) {
      const { fieldViolations } = googleRpc.BadRequest.deserialize(value);
      details.violations = fieldViolations.map(({ field, description }) => ({
        path: field,
        message: description,
      }));
    } else if (url === `${TYPE_PREFIX}google.rpc.QuotaFailure`) {
      const [violation] = googleRpc.QuotaFailure.deserialize(value).violations;
      if (violation) details.quotaSubject = violation.subject;
    } else if (url === `${TYPE_PREFIX}google.rpc.RetryInfo`) {
      details.retryAfterSeconds = Number(googleRpc.RetryInfo.deserialize(value).retryDelay?.seconds ?? 0);
    }
  }
  return code
    ? new ServiceError(code, status.message, details)
    : new ServiceError('INTERNAL_1', 'The core answered with an error of an unknown kind.');
}

/**
 * Returns the gRPC status with which a server ends a call: code, message and the metadata `grpc-status-details-bin`.
 * `requestId`: id of the call; empty if it has none.
 */
export function toGrpcStatus(
  error: ServiceError,
  requestId = '',
): Pick<StatusObject, 'code' | 'details' | 'metadata'> {
  const status = toRpcStatus(error, requestId);
  const metadata = new Metadata();
  metadata.set(DETAILS_KEY, googleRpc.Status.serialize(status));
  return { code: status.code, details: status.message, metadata };
}

/**
 * Converts the gRPC error of a failed client call to a ServiceError. Returns undefined if the gRPC error has no details
 * of gsq.
 */
export function fromGrpcStatus(error: { metadata?: Metadata }): ServiceError | undefined {
  const [bytes] = error.metadata?.get(DETAILS_KEY) ?? [];
  if (!(bytes instanceof Buffer)) return undefined;
  return fromRpcStatus(googleRpc.Status.deserialize(bytes));
}
