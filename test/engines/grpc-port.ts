import type { Client, MethodDefinition, ServiceError } from '@grpc/grpc-js';
import { REQUEST_ID_KEY } from '../../core/rpc/call-origin.ts';
import { clients } from '../../proto/clients.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import { credentialMetadata, deadline } from '../contract/grpc.ts';
import { unary } from '../core/rpc/answer.ts';
import type { ServiceProcess } from '../system/service-process.ts';

/**
 * Request id of all requests whose answers the test compares. Without it, each error would contain a different random
 * id.
 */
export const REQUEST_ID = 'compared';

export type ServiceName = 'ServerService' | 'HistoryService' | 'AdminService';

/** A client for one gRPC port of a core. All its calls use the same connection. */
export class GrpcPort {
  /** Address of the gRPC port, `host:port`. */
  readonly address: string;
  readonly #client: Client;

  constructor(address: string) {
    this.address = address;
    this.#client = clients.any(address);
  }

  /**
   * Connects to the public or internal gRPC port of each core. `setting`: name of the setting that contains the address
   * of the port.
   */
  static ofCores(
    cores: readonly ServiceProcess[],
    setting: 'GSQ_GRPC_ADDR' | 'GSQ_INTERNAL_ADDR',
  ): GrpcPort[] {
    return cores.map(core => new GrpcPort(core.address(setting)));
  }

  /**
   * Calls a unary method of gsq.v1. Returns the JSON of the response, or the decoded message as text if it contains no
   * JSON. If the call fails, returns its code, message and details.
   */
  async call(
    service: ServiceName,
    method: string,
    request: object,
    metadata = credentialMetadata(),
  ): Promise<string> {
    const methods = gsqV1[service].service as unknown as Record<string, MethodDefinition<object, object>>;
    const definition = methods[method];
    if (!definition) throw new Error(`${service} has no method ${method}`);
    const { path, requestSerialize, responseDeserialize } = definition;
    const sent = metadata.clone();
    sent.set(REQUEST_ID_KEY, REQUEST_ID);
    try {
      const response = await unary<object>(done =>
        this.#client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          sent,
          deadline(),
          done,
        ),
      );
      return 'data' in response ? String(response.data) : JSON.stringify(response);
    } catch (error) {
      const { code, details, metadata: trailers } = error as ServiceError;
      return `${code} ${details} ${trailers.get('grpc-status-details-bin')}`;
    }
  }

  close(): void {
    this.#client.close();
  }
}
