import script from './push-worker.js' with { type: 'text' }

const HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'",
}

/** The script that shows notifications. It is at the top, so that it can open every page of the app. */
export const serviceWorker = () => new Response(script, { headers: HEADERS })
