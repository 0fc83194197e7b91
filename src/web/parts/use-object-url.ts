import { useEffect, useState } from 'react'

/** An object URL for a blob, which is valid as long as the component is mounted. */
export function useObjectUrl(of: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!of) return setUrl(undefined)
    const created = URL.createObjectURL(of)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [of])
  return url
}
