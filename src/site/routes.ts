import type { StaticFile } from '../http/docs'
import { sendStaticFile } from '../http/docs'
import { type HttpContext, pathOf } from '../http/respond'

const PAGES = ['/docs', '/docs/:page', '/docs/reference/:noun']
export const DOCS_PATHS = [...PAGES, ...PAGES.map((path) => `${path}/`), '/docs/assets/:file']

/**
 * The documentation: guides and the reference, rendered here, so that it works without internet access. It is loaded when it
 * is first requested: servers start faster without it. Undefined if there is no such page.
 */
export function openDocs({ parley }: HttpContext) {
  let site: Promise<(path: string) => StaticFile | undefined> | undefined
  return async (request: Request): Promise<Response | undefined> => {
    site ??= import('./site').then(({ openSite }) => openSite(parley.links.base))
    const path = pathOf(request.url)
    const address = path.replace(/\/$/, '')
    const file = (await site)(address)
    if (file && address !== path) return new Response(null, { status: 308, headers: { Location: address } })
    return file && sendStaticFile(request, file)
  }
}
