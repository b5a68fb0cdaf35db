import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import { operatorKeys, operatorName } from '../../proto/clients.ts';
import { isWholeSecret } from '../../proto/token-secret.ts';
import { peerAddress } from './peer-address.ts';

/** Type of the TLS data of a call, which contains the certificate of the peer. grpc-js does not export this type. */
type AuthContext = ReturnType<ServerUnaryCall<unknown, unknown>['getAuthContext']>;

/** The parts of a gRPC call that `operatorOf` reads to identify the operator. */
export interface OperatorCall {
  metadata: Metadata;
  getPeer(): string;
  getAuthContext(): AuthContext;
}

/** The operator who made a call, as fields of a line in the audit log. */
export interface Operator {
  /** Name in the certificate of the caller, or else the name that the caller claims to have. */
  actor: string;
  /**
   * Proof of the operator's name: `certificate` if the name is in the certificate of the caller, `none` if the caller
   * only claims to have this name.
   */
  actor_proof: 'certificate' | 'none';
  /** Name of the machine from which the operator called, as the caller claims. */
  actor_host: string;
  /** IP address from which the operator's call came. */
  caller: string;
}

/**
 * The audit log contains this value in place of an operator's name if the operator sent no name, or by mistake the
 * secret of a token.
 */
const UNKNOWN = 'unknown';

/**
 * Returns the operator who made a call, with the name from the certificate. Without mutual TLS, the name is only a
 * claim. Call this while the caller is connected: later, grpc-js does not know the certificate and the address.
 */
export function operatorOf(call: OperatorCall): Operator {
  const certified = operatorName(String(call.getAuthContext().sslPeerCertificate?.subject.CN ?? ''));
  return {
    actor: certified || claimed(call, operatorKeys.user),
    actor_proof: certified ? 'certificate' : 'none',
    actor_host: claimed(call, operatorKeys.host),
    caller: peerAddress(call),
  };
}

function claimed({ metadata }: OperatorCall, key: string): string {
  const name = operatorName(String(metadata.get(key)[0] ?? ''));
  return name === '' || isWholeSecret(name) ? UNKNOWN : name;
}
