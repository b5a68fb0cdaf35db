import type { Logger } from '../../runtime/log.ts';
import { type ActObject, acts, webhookActs } from './admin-acts.ts';
import { type CallEnd, millisecondsSince } from './call-journal.ts';
import { originOfMetadata } from './call-origin.ts';
import { type Operator, type OperatorCall, operatorOf } from './operator.ts';
import { isOperator } from './readers.ts';

const PATH = '/gsq.v1.AdminService/';
const HOOK_PATH = '/gsq.v1.WebhookService/';

/** A call of a gRPC method on the internal port. */
interface ActCall extends OperatorCall {
  getPath(): string;
  /** The request message; absent if the method takes a stream of messages. */
  request?: unknown;
}

type Entry = [path: string, describe: DescribeAny];

/**
 * Function that describes what an administrative call changed, for the audit log. The types of the parameters depend on
 * the method of the call.
 */
type DescribeAny = (request: never, answer: never) => ActObject;

/** Writes one line for each administrative call (act): who did what, what was changed, and with which outcome. */
export class AuditLog {
  readonly #log: Logger;
  readonly #acts: ReadonlyMap<string, DescribeAny> = new Map([
    ...Object.entries(acts).map(([method, describe]): Entry => [PATH + method, describe as DescribeAny]),
    ...Object.entries(webhookActs).map(
      ([method, describe]): Entry => [HOOK_PATH + method, describe as DescribeAny],
    ),
  ]);

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Returns an `Act`, which later writes the line of a call into the audit log. Call this method before the handler
   * runs. Returns undefined if the call gets no line, for example because it only reads.
   */
  begin(call: ActCall): Act | undefined {
    const describe = this.#acts.get(call.getPath());
    if (call.getPath().startsWith(HOOK_PATH) && !isOperator(call)) return undefined;
    return describe && new Act(this.#log, call, describe);
  }
}

/**
 * An administrative act: a call that gets a line in the audit log. This object must be created before the handler of
 * the call runs, because it reads the caller's certificate from the connection. If the caller hangs up, grpc-js forgets
 * the connection and its certificate.
 */
export class Act {
  readonly operator: Operator;
  readonly #log: Logger;
  readonly #call: ActCall;
  readonly #describe: DescribeAny;

  constructor(log: Logger, call: ActCall, describe: DescribeAny) {
    this.operator = operatorOf(call);
    this.#log = log;
    this.#call = call;
    this.#describe = describe;
  }

  /**
   * Logs an administrative call (act) that has ended. `answer`: the answer to the call; undefined if the call failed.
   */
  logEnd(answer: unknown, outcome: CallEnd, began: number): void {
    this.#log.info(
      {
        audit: true,
        act: this.#call.getPath().replace(/^.*\//, ''),
        ...this.operator,
        object: this.#object(answer),
        outcome,
        ...originOfMetadata(this.#call.metadata),
        ms: millisecondsSince(began),
      },
      'audit',
    );
  }

  /**
   * Describes for the audit log what an administrative call changed, such as a token or servers. If the description
   * fails, the call is still answered and logged.
   */
  #object(answer: unknown): ActObject {
    try {
      return this.#describe(this.#call.request as never, answer as never);
    } catch {
      return { error: 'the object of the act cannot be described' };
    }
  }
}
