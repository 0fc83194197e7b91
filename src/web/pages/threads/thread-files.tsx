import { useState } from 'react'
import { describeFile } from '../../../contract/browser/file-facts'
import { type FileRecord, useFiles } from '../../data/files'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { getFileIcon } from '../../parts/file-kind'
import { Icon } from '../../parts/icon'
import { PagedList } from '../../parts/paged-list'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { fileUrls } from '../../paths'

/** The files of a thread, newest first. */
export function ThreadFiles({ threadId }: { threadId: string }) {
  const [isOpen, open] = useState(false)
  return (
    <>
      <Button icon="paperclip" variant="plain" label="Files" onClick={() => open(true)} />
      {isOpen && (
        <Dialog title="Files" onClose={() => open(false)}>
          <FileList threadId={threadId} />
        </Dialog>
      )}
    </>
  )
}

function FileList({ threadId }: { threadId: string }) {
  const files = useFiles({ thread_id: threadId })
  if (files.error && !files.data) return <ProblemNote error={files.error} retry={() => void files.refetch()} />
  if (!files.data)
    return (
      <Loading what="files">
        <Skeleton height={48} />
      </Loading>
    )
  if (files.records.length === 0)
    return <Empty title="No files yet">Files that are sent in this thread appear here.</Empty>
  return (
    <PagedList name="Files" pages={files} className="thread-files">
      {(file) => <FileRow key={file.id} file={file} />}
    </PagedList>
  )
}

const FileRow = ({ file }: { file: FileRecord }) => (
  <li className="file-card">
    <a href={fileUrls.download(file.id)}>
      <Icon name={getFileIcon(file.name)} />
      <span className="file-name">{file.name}</span>
      <span className="file-facts">
        {describeFile(file)} · {file.uploader.name} · <Time at={file.created_at} isShort />
      </span>
    </a>
  </li>
)
