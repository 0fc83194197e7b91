import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError } from '../../../client'
import { describeFile } from '../../../contract/browser/file-facts'
import type { Thread } from '../../../contract/threads'
import { type FileRecord, useFiles } from '../../data/files'
import { useMe } from '../../data/me'
import { getThreadTitle, useThread } from '../../data/threads'
import { setLevel, useThreadState } from '../../data/unread'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { getFileIcon } from '../../parts/file-kind'
import { FollowMenu } from '../../parts/follow-menu'
import { Icon } from '../../parts/icon'
import { PagedList } from '../../parts/paged-list'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { fileUrls, paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { BackToThreads } from './back-to-threads'
import { Conversation } from './conversation'
import { Participants } from './participants'

/** One thread: participants, messages and composer. */
export function ThreadPage({ id }: { id: string }) {
  const thread = useThread(id)
  const [, navigate] = useLocation()
  if (thread.data) return <OpenThread thread={thread.data} />
  if (thread.error instanceof ApiError && thread.error.status === 404)
    return (
      <div className="threads-page">
        <PageTitle title="Not found" isNotFound />
        <Empty title="Thread not found" action={<Button onClick={() => navigate(paths.threads)}>All threads</Button>}>
          It doesn't exist, or you aren't one of its participants.
        </Empty>
      </div>
    )
  if (thread.error)
    return (
      <div className="threads-page">
        <ProblemNote error={thread.error} retry={() => void thread.refetch()} />
      </div>
    )
  return null
}

function OpenThread({ thread }: { thread: Thread }) {
  const { author } = useMe()
  return (
    <div className="thread">
      <header className="thread-head">
        <BackToThreads />
        <PageTitle title={getThreadTitle(thread, author)} />
        <Following threadId={thread.id} />
        <ThreadFiles threadId={thread.id} />
        <Participants thread={thread} />
      </header>
      <Conversation thread={thread} />
    </div>
  )
}

const Following = ({ threadId }: { threadId: string }) => (
  <FollowMenu level={useThreadState(threadId).data?.level} choose={(level) => void setLevel(threadId, level)} />
)

/** The files of a thread, newest first. */
function ThreadFiles({ threadId }: { threadId: string }) {
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
