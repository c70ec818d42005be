#!/bin/sh
# HPC Challenge on this machine, its output as it comes.
#
# usage: hpcc.sh FOLDER ORDER BLOCK PROCESSES THRESHOLD. Writes hpccinf.txt into FOLDER for one matrix of ORDER in blocks
# of BLOCK, on a process grid as square as PROCESSES allows, and starts hpcc there with MPI.
#
# hpcc appends to a file of its own and keeps lines back until it closes it, so that none would come when what it tells
# of ends. A terminal in the place of that file gets each line at once; script(1) makes one.
set -eu
cd "$1"
processes=$4 rows=1 tried=1
while [ $((tried * tried)) -le "$processes" ]; do
    [ $((processes % tried)) -ne 0 ] || rows=$tried
    tried=$((tried + 1))
done
cat >hpccinf.txt <<END
HPLinpack benchmark input file
written by wattmark
HPL.out      output file name (not used)
8            device out (not used)
1            # of problems sizes (N)
$2           Ns
1            # of NBs
$3           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
$rows           Ps
$((processes / rows))           Qs
$5         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
0            values of N
0            number of additional blocking sizes for PTRANS
0            values of NB
END
ln -sf /dev/tty hpccoutf.txt
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec script --quiet --return --flush --command \
    "mpirun -np $processes --use-hwthread-cpus --oversubscribe --bind-to none hpcc" /dev/null
