import type { HttpBody } from '../../proto/generated/google/api/HttpBody.ts';

/** Returns JSON in UTF-8 as a google.api.HttpBody, with the same content type as the answers of the gateway. */
export function jsonBody(json: Buffer): HttpBody {
  return { contentType: 'application/json; charset=utf-8', data: json };
}
