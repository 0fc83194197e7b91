import { useEffect, useState } from 'react'

/** The token of the link that opened the page. Another link may be opened while the page is open. */
export function useLinkToken(path: string): string | null {
  const [link, setLink] = useState(getLinkToken)
  useEffect(() => {
    // The token must not stay in the address bar or the history.
    const takeToken = () => {
      const found = getLinkToken()
      if (!found) return
      setLink(found)
      history.replaceState(history.state, '', path)
    }
    takeToken()
    addEventListener('hashchange', takeToken)
    return () => removeEventListener('hashchange', takeToken)
  }, [path])
  return link
}

/** In the fragment, which browsers never send to a server. Links of earlier versions have it in the query. */
const getLinkToken = () =>
  new URLSearchParams(location.hash.slice(1)).get('token') ?? new URLSearchParams(location.search).get('token')
