// Made up, in the form of NonLinLoc 7, whose phases have a prior weight before the separator.
export const VERSION_7 = `NLLOC "./loc/valais.20240229.235958.grid0" "LOCATED" "Location completed."
PUBLIC_ID smi:org.example/valais/17
SIGNATURE "A. Analyst   obs:valais.obs   NLLoc:v7.00.13(17Jan2022)   run:17Nov2024 15h49m52"
COMMENT "Swiss Alps"
GRID  271 296 17  -407.434 -453.957 -1.5  3 3 3 PROB_DENSITY
HYPOCENTER  x -94.378 y -81.3451 z 8.25  OT 58.5  ix -1 iy -1 iz -1
GEOGRAPHIC  OT 2024 02 29  23 59 58.504000  Lat 60.000000 Long 7.500000 Depth 8.250000
QUALITY  Pmax 3.6 MFmin 4.8 MFmax 5.2 RMS 0.25 Nphs 3 Gap 197.0 Dist 11.1195 Mamp 2.10 5 Mdur -9.90 0
STATISTICS  ExpectX -95.4 Y -82.0 Z 8.1  CovXX 4.0 XY 0.1 XZ 0.2 YY 9.0 YZ -0.3 ZZ 2.25 EllAz1  174.3 Dip1  -2.4 Len1  9.1 Az2  261.7 Dip2  47.0 Len2  19.2 Len3  2.02e+01
QML_OriginQuality  assocPhCt 4  usedPhCt 3  assocStaCt -1  usedStaCt 2  depthPhCt -1  stdErr 0.25  azGap 197.0  secAzGap 210.5  gtLevel -  minDist 11.1195 maxDist 22.239 medDist -1
QML_OriginUncertainty  horUnc -1  minHorUnc 1.5  maxHorUnc 2.75  azMaxHorUnc 84.5
QML_ConfidenceEllipsoid  semiMajorAxisLength 3.25  semiMinorAxisLength 1.125  semiIntermediateAxisLength 2.5  majorAxisPlunge 42.5  majorAxisAzimuth 86.5  majorAxisRotation 322.5
FOCALMECH  Hyp  60.0 7.5 8.25 Mech  40 60 -90 mf  0.1 nObs 12
PHASE ID    Ins Cmp   On Pha  FM   Date    HrMn   Sec     Err  ErrMag    Coda      Amp       Per       PriorWt  >   TTpred    Res       Weight    StaLoc(X  Y           Z)      SDist    SAzim  RAz  RDip RQual   Tcorr     TTerr
SIMPL        ?    HHZ  i P      U 20240229 2359   61.2500 GAU  2.00e-02 -1.00e+00 -1.00e+00 -1.00e+00    0.7500 >    2.7040    0.0420    1.2104  -24.3880 -103.3008   -0.3800   11.1195 107.42  40.0 120.0  9     0.0100    0.6352
SIMPL        SP   ?    E S      ? 20240301 0000    3.1000 GAU -1.00e+00  3.50e+01  1.20e+02  4.00e-01    1.0000 >    4.7013   -0.1053    0.5000  -24.3880 -103.3008   -0.3800   11.1195 107.42  40.0 120.0  0     0.0000    1.1351
NOWHR        ?    Z    ? Pn     d 20240301 0000    7.0000 GAU -1.00e+00 -1.00e+00 -1.00e+00 -1.00e+00    1.0000 >    0.0000    0.0000    0.0000 -100000000000000000000.0000 -100000000000000000000.0000 -100000000000000000000.0000    0.0000   0.00 359.0  -1.0  0     0.0000    0.0000
END_PHASE
END_NLLOC
`;

export const VERSION_6 = `
NLLOC "./loc/taupo" "REJECTED" "WARNING: max prob location on grid boundary 10, rejecting location."
SIGNATURE "   NLLoc:v6.00.0 17Oct2014 16h30m08"
COMMENT ""
GEOGRAPHIC  OT 2020 12 09  16 37 60.000  Lat -39.278154 Long 175.300434 Depth -0.500000
QUALITY  Pmax 3.3 MFmin 29.4 MFmax 29.5 RMS 0.64 Nphs 1 Gap 263.7 Dist 4.1 Mamp -9.90 0 Mdur 1.70 3
STATISTICS  ExpectX 0.9 Y 4.0 Z 32.9  CovXX nan XY -0.1 XZ 0.2 YY -1e-9 YZ -2.0 ZZ 0.25 EllAz1  89.3 Dip1  -2.5 Len1  1.7 Az2  2.0 Dip2  46.5 Len2  3.7 Len3  5.3
FOCALMECH  Hyp  -39.278154 175.300434 35.312500 Mech  0 0 0 mf  0 nObs 0
PHASE ID Ins Cmp On Pha  FM Date     HrMn   Sec     Err  ErrMag    Coda      Amp       Per  >   TTpred    Res       Weight    StaLoc(X  Y         Z)        SDist    SAzim  RAz  RDip RQual    Tcorr
TLZ    ?    Z    ? P      ? 20201209 1638   19.3339 GAU -1.00e+00 -1.00e+00 -1.00e+00 -1.00e+00 >   17.6946   -1.4189    0.8293   20.7446  107.8444   -0.6600  111.195  11.11  40.0 100.0  1     0.0000
END_PHASE
END_NLLOC
`;
