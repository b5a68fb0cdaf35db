import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { commentOfField, commentOfMessage } from './comments.ts';
import { objectOf, refTo, type Schema, time, timeOrNull } from './schema.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';

/**
 * Names of OpenAPI components (named JSON Schemas), keyed by the name of the protobuf message whose JSON they describe.
 * If a message is missing here, its component has the same name as the message.
 */
const COMPONENTS: Readonly<Record<string, string>> = {
  CreateWebhookRequest: 'WebhookRegistration',
  CreateWebhookResponse: 'RegisteredWebhook',
  DeleteWebhookResponse: 'DeletedWebhook',
  FetchServersRequest: 'FetchRequest',
  Game: 'Game',
  GameSummary: 'GameSummary',
  GetHistoryResponse: 'History',
  GetStatusResponse: 'ServiceStatus',
  GetSummaryResponse: 'Summary',
  GetTrendsResponse: 'Trends',
  GetUptimeResponse: 'UptimeAnswer',
  GetWebhookResponse: 'WebhookAnswer',
  ListDeliveriesResponse: 'DeliveryAttempts',
  ListIncidentsResponse: 'IncidentPage',
  ListWebhooksResponse: 'WebhookList',
  ServerGroup: 'Group',
  ServerResult: 'TrackedServer',
  ServerServiceListServersResponse: 'ServerPage',
  TestWebhookResponse: 'TestDelivery',
  WebhookEvent: 'WebhookEvent',
};

/** Properties that the JSON of a message contains only in some cases, keyed by the name of the message. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = { WebhookEvent: ['players', 'for'] };

/**
 * Collects the components of the OpenAPI document: the JSON Schemas of the messages in requests and answers. The keys
 * in the JSON are the names of the fields. Unknown values are null.
 */
export class MessageSchemas {
  /** The JSON Schemas of the OpenAPI document, keyed by component name. */
  readonly components: Record<string, Schema>;

  /**
   * `given`: JSON Schemas of messages whose JSON has a different form than the protobuf message, keyed by component
   * name. All other schemas are derived from the protobuf messages.
   */
  constructor(given: Readonly<Record<string, Schema>>) {
    this.components = { ...given };
  }

  /**
   * Returns a reference to the OpenAPI component for the JSON of this message type in answers. Adds the component to
   * the OpenAPI document if it is new.
   */
  answer(message: DescMessage): Schema {
    const name = COMPONENTS[message.name] ?? message.name;
    if (!(name in this.components)) {
      const properties = Object.fromEntries(
        message.fields.map(field => [field.name, this.#answerField(field)]),
      );
      this.components[name] = withComment(objectOf(properties, OPTIONAL[message.name]), message);
    }
    return refTo(name);
  }

  /**
   * Adds the OpenAPI component for the JSON of a message type in request bodies, and returns a reference to it.
   * `required`: fields that each request must contain. `hidden`: fields that REST callers do not use.
   */
  request(message: DescMessage, required: readonly string[], hidden: readonly string[]): Schema {
    const name = COMPONENTS[message.name] ?? message.name;
    const fields = message.fields.filter(field => !hidden.includes(field.name));
    const properties = Object.fromEntries(fields.map(field => [field.name, this.#requestField(field)]));
    const optional = Object.keys(properties).filter(each => !required.includes(each));
    this.components[name] = withComment(objectOf(properties, optional), message);
    return refTo(name);
  }

  #answerField(field: DescField): Schema {
    const description = describe(field);
    if (field.fieldKind === 'list') return { type: 'array', ...description, items: this.#valueOf(field) };
    if (field.message?.typeName === TIMESTAMP) {
      const comment = commentOfField(field);
      return /\babsent\b/.test(comment) ? timeOrNull(nullFor(comment)) : time(comment || undefined);
    }
    const value = this.#valueOf(field);
    if (field.message) return value;
    if (!field.proto.proto3Optional) return { ...value, ...description };
    return { ...value, type: [String(value.type), 'null'], description: nullFor(commentOfField(field)) };
  }

  #requestField(field: DescField): Schema {
    const value = this.#valueOf(field);
    const description = describe(field);
    if (field.fieldKind === 'list') return { type: 'array', ...description, items: value };
    return field.message ? value : { ...value, ...description };
  }

  #valueOf(field: DescField): Schema {
    if (field.message) return this.answer(field.message);
    return scalarSchema(field);
  }
}

/** Returns the schema of a query parameter or of a variable in the path. */
export function parameterSchema(field: DescField): Schema {
  if (field.message?.typeName === TIMESTAMP) return time();
  if (field.fieldKind === 'list') return { type: 'array', items: scalarSchema(field) };
  return scalarSchema(field);
}

function scalarSchema(field: DescField): Schema {
  switch (field.scalar) {
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.DOUBLE:
      return { type: 'number' };
    case ScalarType.UINT32:
    case ScalarType.UINT64:
      return { type: 'integer', minimum: 0 };
    default:
      throw new Error(`${field.parent.typeName}.${field.name} has a type that the document cannot describe`);
  }
}

function describe(field: DescField): { description?: string } {
  const description = commentOfField(field);
  return description === '' ? {} : { description };
}

/**
 * Adapts the comment of a protobuf field to JSON, where an unknown value is null and not absent. Therefore replaces
 * the word "absent" by "null".
 */
function nullFor(comment: string): string {
  return comment.replace(/\babsent\b/, 'null');
}

function withComment(schema: Schema, message: DescMessage): Schema {
  const comment = commentOfMessage(message);
  return comment === '' ? schema : { ...schema, description: comment };
}
