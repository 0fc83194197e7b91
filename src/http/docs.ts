import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { ICON } from './pages'

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Swagger UI sets inline styles from its script; everything else is loaded from this server only.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Parley</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</html>`

const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
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

/** Makes Swagger UI quieter: one page colour, one width, and rows with colour in the method only. */
const STYLES = `body { margin: 0; }
html, .swagger-ui { background: #fbfaf8; color: #1f2421; }
.swagger-ui .wrapper { max-width: 1040px; padding: 0 16px; }
.swagger-ui .topbar, .swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .info__license { display: none; }
.swagger-ui .info { margin: 40px 0 16px; }
.swagger-ui .info .title { font-size: 28px; }
.swagger-ui .info .title small { top: -4px; background: #5d6560; }
.swagger-ui .info p, .swagger-ui .info li { font-size: 15px; line-height: 1.55; max-width: 720px; margin-left: 0; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: inherit; font-weight: 400; background: #efece6; }
.swagger-ui .scheme-container { background: none !important; box-shadow: none !important; padding: 0 0 16px; margin: 0; }
.swagger-ui .schemes { justify-content: flex-start; }
.swagger-ui .auth-wrapper { justify-content: flex-start; }
.swagger-ui .btn.authorize { margin: 0; border-color: #0f766e; color: #0f766e; }
.swagger-ui .btn.authorize svg { fill: #0f766e; color: #0f766e; }
.swagger-ui .filter .operation-filter-input { max-width: none; margin: 8px 0 16px; border: 1px solid #d5d1c9; border-radius: 8px; width: 100%; }
.swagger-ui .opblock-tag { font-size: 18px; border-bottom: 1px solid #e2dfd9; }
.swagger-ui .opblock { box-shadow: none; border-color: #e2dfd9 !important; border-radius: 8px; background: none !important; margin: 0 0 8px; }
.swagger-ui .opblock .opblock-summary { border-color: #e2dfd9 !important; }
.swagger-ui .opblock .opblock-summary-method { border-radius: 6px; min-width: 72px; font-size: 12px; text-shadow: none; }
.swagger-ui .opblock.opblock-post .opblock-summary-method, .swagger-ui .opblock.opblock-patch .opblock-summary-method,
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #0f766e; color: #fff; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #475569; color: #fff; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; color: #fff; }
.swagger-ui .opblock .opblock-summary-path { font-weight: 500; font-size: 14px; }
.swagger-ui .opblock .opblock-summary-operation-id { font-weight: 400; font-size: 13px; color: #5d6560; }
.swagger-ui .opblock .opblock-section-header { background: none !important; box-shadow: none; border-top: 1px solid #e2dfd9; }
@media (max-width: 600px) {
  .swagger-ui .opblock .opblock-summary-operation-id { display: none; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 60px; padding: 6px 0; }
}
html.dark-mode, html.dark-mode .swagger-ui { background: #191b1a; color: #e8e6e1; }
html.dark-mode .swagger-ui .markdown code, html.dark-mode .swagger-ui .renderedMarkdown code { background: #2b2f2d; color: inherit; }
html.dark-mode .swagger-ui .btn.authorize { border-color: #5eead4; color: #5eead4; }
html.dark-mode .swagger-ui .btn.authorize svg { fill: #5eead4; }
html.dark-mode .swagger-ui .filter .operation-filter-input { border-color: #444a47; background: #202322; color: inherit; }
html.dark-mode .swagger-ui .opblock-tag,
html.dark-mode .swagger-ui .opblock, html.dark-mode .swagger-ui .opblock .opblock-summary,
html.dark-mode .swagger-ui .opblock .opblock-section-header { border-color: #343836 !important; }
html.dark-mode .swagger-ui .opblock .opblock-summary-method { color: #fff !important; }
html.dark-mode .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
html.dark-mode .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #475569; }
html.dark-mode .swagger-ui .opblock.opblock-post .opblock-summary-method, html.dark-mode .swagger-ui .opblock.opblock-patch .opblock-summary-method,
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #0f766e; }
html.dark-mode .swagger-ui .opblock .opblock-summary-operation-id { color: #a3a9a3; }
`

const text = (body: string, type: string) => () => new Response(body, { headers: { ...HEADERS, 'Content-Type': type } })
const file = (path: string, type: string) => () =>
  new Response(Bun.file(path), {
    headers: { ...HEADERS, 'Content-Type': type, 'Cache-Control': 'public, max-age=86400' },
  })

/** The API reference: Swagger UI served from here, so that it works without internet access. */
export const docsRoutes = {
  '/docs': text(PAGE, 'text/html; charset=utf-8'),
  '/docs/page.js': text(SCRIPT, 'text/javascript; charset=utf-8'),
  '/docs/page.css': text(STYLES, 'text/css; charset=utf-8'),
  '/docs/swagger-ui.css': file(styles, 'text/css; charset=utf-8'),
  '/docs/swagger-ui-bundle.js': file(bundle, 'text/javascript; charset=utf-8'),
}
