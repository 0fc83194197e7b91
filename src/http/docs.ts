import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Swagger UI sets styles from its script; everything else comes from here and nowhere else.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Parley</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</html>`

const SCRIPT = `SwaggerUIBundle({
  url: '/v2/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayOperationId: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: false,
  validatorUrl: null,
})
`

const STYLES = `body { margin: 0; background: #fbfaf8; }
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 32px 0 16px; }
@media (prefers-color-scheme: dark) {
  html { background: #e7e4df; }
  body { filter: invert(0.9) hue-rotate(180deg); }
}
`

const text = (body: string, type: string) => () => new Response(body, { headers: { ...HEADERS, 'Content-Type': type } })
const file = (path: string, type: string) => () =>
  new Response(Bun.file(path), {
    headers: { ...HEADERS, 'Content-Type': type, 'Cache-Control': 'public, max-age=86400' },
  })

/** The API reference: Swagger UI from our own server, so that it works where there is no internet. */
export const docsRoutes = {
  '/docs': text(PAGE, 'text/html; charset=utf-8'),
  '/docs/page.js': text(SCRIPT, 'text/javascript; charset=utf-8'),
  '/docs/page.css': text(STYLES, 'text/css; charset=utf-8'),
  '/docs/swagger-ui.css': file(styles, 'text/css; charset=utf-8'),
  '/docs/swagger-ui-bundle.js': file(bundle, 'text/javascript; charset=utf-8'),
}
