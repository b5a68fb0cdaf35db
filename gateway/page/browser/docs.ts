// The script of the page /docs: shows all operations with Swagger UI, and adds the token from the form to the requests
// that Swagger UI sends to this gateway.

interface SwaggerRequest {
  url: string;
  headers: Record<string, string>;
}

type SwaggerUi = (options: {
  domNode: Element;
  url: string;
  docExpansion: 'list';
  deepLinking: boolean;
  defaultModelsExpandDepth: -1;
  validatorUrl: null;
  tryItOutEnabled: boolean;
  requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
}) => void;

/** Names of the request headers with the credentials, keyed by the names of the form fields. */
const HEADERS = { token: 'X-API-Token', tier: 'X-API-Token-Type', email: 'X-API-Token-Email' } as const;
type Field = keyof typeof HEADERS;
const FIELDS = Object.keys(HEADERS) as Field[];

const form = document.querySelector<HTMLFormElement>('#credentials');
const operations = document.querySelector<HTMLElement>('#operations');
if (form) keepInTab(form);
if (form && operations) void showOperations(operations, form);

function inputOf(form: HTMLFormElement, field: Field): HTMLInputElement | HTMLSelectElement {
  return form.elements.namedItem(field) as HTMLInputElement | HTMLSelectElement;
}

/**
 * Keeps the values of the form fields in the session storage. The values survive a reload, but the browser deletes them
 * when the tab is closed.
 */
function keepInTab(form: HTMLFormElement): void {
  for (const field of FIELDS) {
    const input = inputOf(form, field);
    input.value = sessionStorage.getItem(field) ?? input.value;
    input.addEventListener('input', () => sessionStorage.setItem(field, input.value));
  }
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => {
    for (const field of FIELDS) sessionStorage.removeItem(field);
  });
}

async function showOperations(place: HTMLElement, form: HTMLFormElement): Promise<void> {
  await loadScript(place.dataset.script ?? '');
  const { SwaggerUIBundle } = window as unknown as { SwaggerUIBundle: SwaggerUi };
  SwaggerUIBundle({
    domNode: place,
    url: place.dataset.document ?? '',
    docExpansion: 'list',
    // Deep links to single operations are off, because Swagger UI would put these links into its buttons. Such buttons
    // are hard to use with a keyboard.
    deepLinking: false,
    // Switches the validator off. Swagger UI would send the address of the document to a validator on another host.
    validatorUrl: null,
    // Hides the list of all schemas in Swagger UI, because each operation shows the schemas that it needs.
    defaultModelsExpandDepth: -1,
    tryItOutEnabled: true,
    requestInterceptor: request => {
      const isOurs = new URL(request.url, location.href).origin === location.origin;
      if (isOurs && inputOf(form, 'token').value !== '')
        for (const field of FIELDS) request.headers[HEADERS[field]] ??= inputOf(form, field).value.trim();
      return request;
    },
  });
}

function loadScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${src} cannot be loaded`)));
    script.src = src;
    document.head.append(script);
  });
}
