import { endpoints } from '../paths'

/** The version of the server. */
export const versionQuery = {
  queryKey: ['version'],
  queryFn: async () => {
    const document = (await (await fetch(endpoints.openApi)).json()) as { info: { version: string } }
    return document.info.version
  },
}
